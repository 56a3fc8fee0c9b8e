"""Where stored files lie: in a folder, in S3, or nowhere."""
