"""Storage of files: in a folder, in S3, or nowhere."""
