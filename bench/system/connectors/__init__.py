"""Every connector of an account, measured against its stand-in.

    python -P -m config.running.launch --scratch var/bench python -m bench.system.connectors.measure

Begin reading at measure.py: how fast, how little is asked for when nothing has changed, what is
lost when a worker is killed, and what becomes of every fault. trials.py has what is particular to
each connector.
"""
