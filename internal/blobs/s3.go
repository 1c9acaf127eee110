package blobs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// s3Silence is how long S3 may receive no byte of a request, or send no byte of an answer. A large
// file that moves on may take longer.
const s3Silence = 10 * time.Second

// unseen is how many bytes the kernel takes of an upload before S3 has them. That they move on is not seen.
const unseen = 1 << 20

// openS3 opens the bucket at u with a client that gives S3 up after the time of silence. The opener of URLs
// takes no client.
func openS3(ctx context.Context, u *url.URL, silence time.Duration) (*blob.Bucket, error) {
	q := u.Query()
	prefix := q.Get("prefix")
	q.Del("prefix")
	address := *u
	address.RawQuery = q.Encode()
	var opener s3blob.URLOpener
	patient, err := opener.OpenBucketURL(ctx, &address)
	if err != nil {
		return nil, err
	}
	defer patient.Close()
	var client *s3.Client
	patient.As(&client)
	client = s3.New(client.Options(), func(o *s3.Options) {
		o.Retryer = impatient{o.Retryer}
		if c, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			dialer := net.Dialer{Timeout: silence}
			o.HTTPClient = c.WithTransportOptions(func(t *http.Transport) {
				t.ForceAttemptHTTP2 = false // it reads while nothing is asked for
				t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dialer.DialContext(ctx, network, address)
					if tcp, ok := conn.(*net.TCPConn); ok {
						_ = tcp.SetWriteBuffer(unseen) // a larger one only hides more of a slow upload
					}
					return silenceConn{conn, silence}, err
				}
			})
		}
	})
	bucket, err := s3blob.OpenBucket(ctx, client, u.Host, &opener.Options)
	if err != nil || prefix == "" {
		return bucket, err
	}
	return blob.PrefixedBucket(bucket, prefix), nil
}

// impatient does not try again after a silence: three of them would be longer than a client waits.
type impatient struct{ aws.Retryer }

func (r impatient) IsErrorRetryable(err error) bool {
	return !errors.Is(err, os.ErrDeadlineExceeded) && r.Retryer.IsErrorRetryable(err)
}

// silenceConn is a connection that fails after a silence of the other side.
type silenceConn struct {
	net.Conn
	silence time.Duration
}

func (c silenceConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write gives a Read that waits for the answer more time, too.
func (c silenceConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
