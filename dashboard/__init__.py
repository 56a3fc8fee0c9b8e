"""Pages for a tenant's people, server-rendered: no models and no rules, the services of the API."""
