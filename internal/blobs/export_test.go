package blobs

// S3Uploads is the limit of concurrent uploads to S3.
const S3Uploads = s3Uploads

// Block and CopyToDisk write a local file.
const Block = block

var CopyToDisk = copyToDisk
