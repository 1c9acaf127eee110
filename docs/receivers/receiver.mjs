// A receiver of notifications in JSON or XML that uses only Node's library:
//
//     BORDERO_WEBHOOK_SECRET=… PORT=9000 node receiver.mjs

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.BORDERO_WEBHOOK_SECRET
if (!secret) throw new Error('BORDERO_WEBHOOK_SECRET is empty')
const tolerance = 5 * 60 // seconds, so that a recorded request cannot be replayed later

// Store the processed ids in your database, under a unique key, in the transaction of their
// effects.
const done = new Set() // by webhook-id

// genuine reports whether a message was signed with the secret within the last minutes.
function genuine(headers, body) {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) return false
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body)
  const want = Buffer.from('v1,' + mac.digest('base64'))
  const signatures = (headers['webhook-signature'] ?? '').split(' ') // two while a secret is rotated
  return signatures.map((s) => Buffer.from(s)).some((s) => s.length === want.length && timingSafeEqual(s, want))
}

// eventOf returns the event of a notification, undefined for the test of a new webhook. Node has
// no parser of XML; the name of an event has no character that XML escapes.
function eventOf(headers, body) {
  if (headers['content-type']?.includes('xml')) return body.toString().match(/<event>([^<]*)<\/event>/)?.[1]
  return JSON.parse(body).event
}

const largest = 1 << 20 // bytes; a notification has less

// bodyOf returns the body as it was received, or null if it is too large or the client has left. A body that was parsed
// and rewritten has another signature.
async function bodyOf(request) {
  const chunks = []
  let size = 0
  try {
    for await (const chunk of request) {
      if ((size += chunk.length) > largest) return null
      chunks.push(chunk)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request)
  if (!body) {
    response.writeHead(400, { connection: 'close' }).end()
    return
  }
  if (!genuine(request.headers, body)) {
    response.writeHead(401).end()
    return
  }
  const id = request.headers['webhook-id']
  const event = eventOf(request.headers, body)
  if (event && !done.has(id)) {
    console.log('event', event) // put it into a queue: the answer must arrive within ten seconds
    done.add(id)
  }
  response.writeHead(200).end() // no other status: 201, 202 and 204 count as failures
})

server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
