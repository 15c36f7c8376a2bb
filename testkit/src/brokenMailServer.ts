import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The place at which a server stops to answer: before its greeting, at a command, or with the whole text. */
export type Place = 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'text';
export type Fault = (socket: Socket) => void;

interface BrokenMailServer {
  /** The value for SMTP_URL. */
  url: string;
  texts: string[];
  stop: () => Promise<void>;
}

/** Starts a mail server that answers each command, and at one place does what it is told. It stores whole texts. */
export async function startBrokenMailServer(place: Place, fault: Fault, at = 0): Promise<BrokenMailServer> {
  const texts: string[] = [];
  const open = new Set<Socket>();
  const answer = (socket: Socket, here: Place, line: string) => {
    if (here === place) fault(socket);
    else socket.write(`${line}\r\n`);
  };
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    let text: string | null = null;
    answer(socket, 'greeting', '220 test');
    socket.setEncoding('utf8').on('data', (part: string) => {
      if (text !== null) {
        text += part;
        if (!text.endsWith('\r\n.\r\n')) return;
        texts.push(text);
        text = null;
        answer(socket, 'text', '250 stored');
        return;
      }
      const command = part.slice(0, 4) as Place;
      if (command === 'DATA' && place !== 'DATA') text = '';
      answer(socket, command, command === 'DATA' ? '354 go on' : '250 ok');
    });
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `smtp://127.0.0.1:${port}`, texts, stop };
}
