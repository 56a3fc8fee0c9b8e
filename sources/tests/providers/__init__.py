"""Stand-ins for the services that connectors read: real HTTP servers on loopback, which keep the
rules that each provider publishes."""
