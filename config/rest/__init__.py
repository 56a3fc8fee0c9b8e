"""The common parts of all endpoints: bodies, answers, errors and the description of the API."""
