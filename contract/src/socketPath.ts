/** The path of the WebSocket, and of the polling that takes its place. */
export const socketPath = '/socket.io';
