"""Measures retrieval, abstention and answers on evaluation data, through the service's own code
path."""
