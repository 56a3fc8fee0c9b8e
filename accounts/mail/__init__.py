"""E-mails: their texts, sending one now, and the queue of those on their way.

Start with `deliveries.py`: `write_mail` puts a mail into the queue in the transaction that it tells
of, and `send_due` sends what is due. `messages.py` fills in the templates, `sending.py` speaks to
the mail server. Services queue mails through `accounts/services/mails.py`.
"""
