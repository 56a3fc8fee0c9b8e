"""Visitors who want to buy: recognised, asked for contact data, told to the company."""
