/**
 * Returns a function that sends a message to the other tabs of this browser, for facts that the server reports to one
 * tab only. `onMessage` gets the messages of the other tabs.
 */
export function tabs<T>(name: string, onMessage: (message: T) => void): (message: T) => void {
  if (typeof BroadcastChannel === 'undefined') return () => {};
  const channel = new BroadcastChannel(`lightbox-${name}`);
  channel.onmessage = ({ data }: MessageEvent<T>) => onMessage(data);
  return (message) => channel.postMessage(message);
}
