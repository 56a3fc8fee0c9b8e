"""Who somebody is: passwords, codes and tokens, and what slows down guessing them.

Start with `authentication.py`, which turns the token of a request into a Caller. `tokens.py` makes
and reads tokens, `token_keys.py` signs them. `codes.py` has the codes that are mailed,
`second_factor.py` those of a phone, `guessing.py` and `wrong_codes.py` count the wrong ones, and
`devices.py` tells whether somebody signs in from a new place. The steps of a login are in
`accounts/services/signing_in/`.
"""
