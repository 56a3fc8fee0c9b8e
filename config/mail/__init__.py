"""Where mails go: to a server, or to files."""
