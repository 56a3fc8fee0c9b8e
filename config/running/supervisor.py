"""supervisord, whose environment no other process of its user can read: it holds all secrets.
`python -m config.running.supervisor --configuration FILE`.
"""

from supervisor.supervisord import main

from config.security.memory import hide_memory

if __name__ == "__main__":
    hide_memory()
    main()
