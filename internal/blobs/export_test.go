package blobs

// S3Uploads is the limit of concurrent uploads to S3.
const S3Uploads = s3Uploads

// OpenPatient is Open with a limit for the silence of S3.
var OpenPatient = open

// Block and CopyToDisk write a local file.
const Block = block

var CopyToDisk = copyToDisk
