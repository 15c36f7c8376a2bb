import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

type UpgradeListener = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Answers requests that ask for a protocol other than WebSocket as if they did not: HTTP/2 without TLS (`h2c`) is what Java's own
 * client asks for with each request (RFC 9110 §7.8 allows a server to ignore it). The same holds for WebSocket on a path where there is
 * none. Once a server has a listener for upgrades, Node hands over the connection of every such request, and nobody would
 * answer. Node 24 can be asked before that (`shouldUpgradeCallback`), Node 20 cannot. Call it after the listeners of the
 * server are there.
 */
export function answerOtherUpgrades(server: Server, webSocketPath: string): void {
  /** The connections with a request that has no whole answer yet. */
  const busy = new WeakSet<Duplex>();
  server.prependListener('request', (req, res) => {
    busy.add(req.socket);
    res.once('close', () => busy.delete(req.socket));
  });
  const listeners = server.listeners('upgrade') as UpgradeListener[];
  server.removeAllListeners('upgrade');
  server.on('upgrade', (req, socket, head) => {
    const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket' && req.url?.startsWith(webSocketPath);
    if (isWebSocket) for (const each of listeners) each.call(server, req, socket, head);
    // Its answer could overtake the one that is under way.
    else if (busy.has(socket)) socket.destroy();
    else readAgain(server, req, socket, head);
  });
}

/** Gives the connection back to the server, which reads the request again, without its wish. */
function readAgain(server: Server, req: IncomingMessage, socket: Duplex, rest: Buffer): void {
  // Those of the server itself. It adds them again.
  socket.removeAllListeners('timeout');
  socket.unshift(Buffer.concat([headOf(req), rest]));
  server.emit('connection', socket);
}

/** Headers that are about the upgrade alone, and therefore named in `Connection`. */
const ofUpgrades = new Set(['upgrade', 'http2-settings']);

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (ofUpgrades.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutUpgrades(value) : value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

const withoutUpgrades = (connection: string): string =>
  connection
    .split(',')
    .filter((option) => !ofUpgrades.has(option.trim().toLowerCase()))
    .join(',')
    .trim();
