# A receiver of notifications in JSON or XML, as a Rack application that uses only Ruby's library:
#
#     BORDERO_WEBHOOK_SECRET=… PORT=9000 ruby receiver.rb
#
# In a config.ru: require_relative "receiver"; run RECEIVER

require "json"
require "openssl"
require "set"

SECRET = ENV.fetch("BORDERO_WEBHOOK_SECRET")
abort "BORDERO_WEBHOOK_SECRET is empty" if SECRET.empty?
TOLERANCE = 5 * 60 # seconds, so that a recorded request cannot be replayed later

# Store the processed ids in your database, under a unique key, in the transaction of their
# effects.
DONE = Set.new # by webhook-id

# Reports whether a message was signed with the secret within the last minutes.
def genuine?(env, body)
  id, timestamp = env["HTTP_WEBHOOK_ID"].to_s, env["HTTP_WEBHOOK_TIMESTAMP"].to_s
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= TOLERANCE

  mac = OpenSSL::HMAC.digest("SHA256", SECRET, "#{id}.#{timestamp}.".b + body.b)
  want = "v1," + [mac].pack("m0") # base64
  # Two while a secret is rotated.
  env["HTTP_WEBHOOK_SIGNATURE"].to_s.split.any? { |signature| OpenSSL.secure_compare(signature, want) }
end

# Returns the event of a notification, nil for the test of a new webhook. The name of an event has
# no character that XML escapes, so that no parser is needed.
def event_of(env, body)
  return body[%r{<event>([^<]*)</event>}, 1] if env["CONTENT_TYPE"].to_s.include?("xml")

  JSON.parse(body)["event"]
end

RECEIVER = lambda do |env|
  body = env["rack.input"].read
  next [401, {}, []] unless genuine?(env, body)

  event = event_of(env, body)
  if event && DONE.add?(env["HTTP_WEBHOOK_ID"])
    # Put it into a queue: the answer must arrive within ten seconds.
    puts "event #{event}"
  end
  [200, {}, []] # no other status: 201, 202 and 204 count as failures
end

# A server for one request at a time, so that the example needs no gem. Replace it with Puma,
# or with the server of your application.
if __FILE__ == $PROGRAM_NAME
  require "socket"
  require "stringio"

  $stdout.sync = true
  server = TCPServer.new("127.0.0.1", ENV.fetch("PORT").to_i)
  puts "http://127.0.0.1:#{server.addr[1]}"
  serve = lambda do |client|
    env = {}
    client.gets # the request line
    while (line = client.gets&.chomp) && !line.empty?
      name, value = line.split(": ", 2)
      env["HTTP_#{name.upcase.tr("-", "_")}"] = value
    end
    env["CONTENT_TYPE"] = env["HTTP_CONTENT_TYPE"] # as Rack names it
    env["rack.input"] = StringIO.new(client.read(env["HTTP_CONTENT_LENGTH"].to_i.clamp(0, 1 << 20)).to_s)
    status, = RECEIVER.call(env)
    client.write "HTTP/1.1 #{status} Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  end
  loop do
    client = server.accept
    serve.call(client)
  rescue SystemCallError, IOError # the client has left
  ensure
    client&.close
  end
end
