"""The least that an HTTP answer costs: a server that reads a request and sends the same bytes.

    python -P -m bench.speed.bare_server PORT

A thread for each connection; no Django, no imports but a socket's.
"""

from __future__ import annotations

import socket
import sys
import threading

BODY = b'{"answer": "' + b"x" * 1500 + b'"}'  # as long as an answer with its sources
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


def serve(connection: socket.socket) -> None:
    """Answers whatever comes; each request of the benchmark arrives in one piece."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        while connection.recv(65536):
            connection.sendall(ANSWER)


def main(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as server:
        print("listening", flush=True)
        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=[connection], daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]))
