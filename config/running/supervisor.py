"""supervisord, whose environment, with the secrets of all programs, no process of its user can read:
`python -m config.running.supervisor --configuration FILE`.
"""

from supervisor.supervisord import main

from config.security.memory import hide_memory

if __name__ == "__main__":
    hide_memory()
    main()
