"""The reasons, in words for customers, why a business's published texts could not be read."""

RECONNECT = (
    "WhatsApp does not accept the connected account any more. Connect the channel of the agent"
    " again."
)
NOT_ALLOWED = (
    "The system user may not read this. Give it the permissions whatsapp_business_management and"
    " catalog_management, make a new token, and connect the channel again."
)
NOT_THERE = "It is not there any more, or the system user may not see it."
MALFORMED = "WhatsApp sent an answer that cannot be read. Try again later."
NOTHING_CHOSEN = "Nothing is chosen that could be read. Choose what is read, then sync."
NO_CHANNEL = "No WhatsApp channel is connected to this source. Connect one to an agent, then sync."
