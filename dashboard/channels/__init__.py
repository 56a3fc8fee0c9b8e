"""Where an agent answers: websites and messengers. Connecting, looking, disconnecting."""
