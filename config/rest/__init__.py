"""What every endpoint shares: bodies, answers, errors and the description of the API."""
