/** A word to the same person's other tabs of this browser: for what the server tells only one side. */
export function tabs<T>(name: string, hear: (word: T) => void): (word: T) => void {
  if (typeof BroadcastChannel === 'undefined') return () => {};
  const channel = new BroadcastChannel(`lightbox-${name}`);
  channel.onmessage = ({ data }: MessageEvent<T>) => hear(data);
  return (word) => channel.postMessage(word);
}
