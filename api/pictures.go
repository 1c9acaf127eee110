package api

import (
	"bytes"
	_ "embed" // the pictures
	"fmt"
	"net/http"
	"time"

	"bordero/finance"
	"bordero/internal/messages"

	"github.com/cespare/xxhash/v2"
	"github.com/gin-gonic/gin"
)

// The pictures are neutral: the marks of banks and card networks are not ours to publish.
var (
	//go:embed pictures/account.png
	accountPicture []byte
	//go:embed pictures/card.png
	cardPicture []byte
)

// pictures has the picture at each address that a logo_image_url or flag_image_url names.
var pictures = picturesByPath()

func picturesByPath() map[string][]byte {
	all := map[string][]byte{}
	for _, kind := range finance.DepositAccountTypes {
		d := finance.DepositAccount{DepositAccountTypeID: &kind}
		all["/"+d.LogoImageURL()] = accountPicture
	}
	for _, flag := range finance.CardNetworks {
		k := finance.CreditCard{Flag: flag}
		all["/"+k.FlagImageURL()] = cardPicture
	}
	return all
}

// servePictures serves the pictures, which need no token: browsers load them.
func (a *API) servePictures(e *gin.Engine) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, path := range []string{"/logos/:picture", "/flags/:picture"} {
			e.Handle(method, path, a.handle(route{needs: open, handle: (*call).sendPicture}))
		}
	}
}

func (c *call) sendPicture() error {
	picture, known := pictures[c.Request.URL.Path]
	if !known {
		return messages.NoRoute
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "public, max-age=86400")
	h.Set("ETag", fmt.Sprintf(`"%016x"`, xxhash.Sum64(picture)))
	return c.sendContent(time.Time{}, bytes.NewReader(picture))
}
