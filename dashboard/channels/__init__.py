"""The channels of an agent (websites, messengers): connecting, viewing and disconnecting them."""
