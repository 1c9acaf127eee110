// A receiver of notifications, with nothing but Node's library:
//
//     BORDERO_WEBHOOK_SECRET=… PORT=9000 node receiver.mjs

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.BORDERO_WEBHOOK_SECRET
const tolerance = 5 * 60 // seconds: what somebody recorded is no use later

// What is done belongs in your database, under a unique key, in the transaction of
// what is done.
const done = new Set() // by webhook-id

// genuine tells whether a message was signed with the secret, and just now.
function genuine(headers, body) {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) return false
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body)
  const want = Buffer.from('v1,' + mac.digest('base64'))
  const signatures = (headers['webhook-signature'] ?? '').split(' ') // two while a secret is rotated
  return signatures.map((s) => Buffer.from(s)).some((s) => s.length === want.length && timingSafeEqual(s, want))
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks) // the bytes as they came: a parsed and rewritten body has another signature
  if (!genuine(request.headers, body)) {
    response.writeHead(401).end()
    return
  }
  const id = request.headers['webhook-id']
  if (!done.has(id)) {
    console.log('event', JSON.parse(body).event) // put it into a queue: the answer must come within ten seconds
    done.add(id)
  }
  response.writeHead(200).end() // and nothing else: 201, 202 and 204 count as failures
})

server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
