"""What bench/connectors/odata_cap.py starts: services of others, which nothing of ours imports."""
