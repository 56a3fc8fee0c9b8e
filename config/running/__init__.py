"""How the service is started, supervised and stopped: what bin/up, bin/manage and bin/test run.
Imports no app.
"""
