"""A receiver of notifications in JSON or XML that uses only Python's library:

    BORDERO_WEBHOOK_SECRET=... PORT=9000 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import xml.etree.ElementTree
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("BORDERO_WEBHOOK_SECRET", "").encode()
TOLERANCE = 5 * 60  # seconds, so that a recorded request cannot be replayed later

# Store the processed ids in your database, under a unique key, in the transaction of their
# effects.
done = set()  # by webhook-id


def genuine(headers, body):
    """Report whether a message was signed with the secret within the last minutes."""
    identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    mac = hmac.new(SECRET, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    # Two while a secret is rotated.
    return any(hmac.compare_digest(s.encode(), want) for s in headers.get("webhook-signature", "").split())


def event_of(headers, body):
    """Return the event of a notification, None for the test of a new webhook."""
    if "xml" in headers.get("Content-Type", ""):
        return xml.etree.ElementTree.fromstring(body).findtext("event")
    return json.loads(body).get("event")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()) or int(length) > 1 << 20:
            self.answer(400)
            return
        body = self.rfile.read(int(length))
        if not genuine(self.headers, body):
            self.answer(401)
            return
        event = event_of(self.headers, body)
        if event and self.headers["webhook-id"] not in done:
            # Put it into a queue: the answer must arrive within ten seconds.
            print("event", event, flush=True)
            done.add(self.headers["webhook-id"])
        self.answer(200)  # no other status: 201, 202 and 204 count as failures

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    if not SECRET:
        sys.exit("BORDERO_WEBHOOK_SECRET is empty")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
