"""When what somebody wrote in a chat is a question: once they have stopped writing."""

QUIET_SECONDS = 1.5  # after a message, before it is taken for the last one
BURST_MAX_SECONDS = 8.0  # whoever does not stop writing is answered after this
