"""The start page: the state of the workspace, and the next steps."""
