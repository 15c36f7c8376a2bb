import { benchNginx, nginx } from './peers/nginx.js';
import { benchOrthancMemory, benchOrthancPreviews, benchOrthancUploads, orthanc } from './peers/orthanc.js';
import { findProgram, type Recipe } from './peers/program.js';
import { benchPeerIdle, benchPeerTalk } from './peers/talk.js';
import { ejabberd, prosody } from './peers/xmppServers.js';
import { type Person, signInPeople } from './people.js';
import type { Row } from './report.js';
import type { Site } from './site.js';

interface Part {
  name: string;
  peers: Recipe[];
  /** Measures with the peers that the machine has. */
  run: (peers: Recipe[]) => Promise<Row[]>;
}

/**
 * `npm run bench -- --peers`: measures the product beside servers of other projects, in turn. The bench starts those that
 * the machine has, and leaves out the others.
 */
export async function benchPeers(site: Site, only: string): Promise<Row[]> {
  const [uploader] = (await signInPeople(site, 'healthProvider', 1)) as [Person];
  const parts: Part[] = [
    // This part comes first, because it measures the memory of a gateway that has not grown yet.
    { name: 'large uploads', peers: [orthanc], run: () => benchOrthancMemory(site, uploader) },
    { name: 'small uploads', peers: [orthanc], run: () => benchOrthancUploads(site, uploader) },
    { name: 'previews', peers: [orthanc], run: () => benchOrthancPreviews(site, uploader) },
    { name: 'assets', peers: [nginx], run: () => benchNginx(site) },
    { name: 'messages', peers: [prosody(), ejabberd], run: (peers) => benchPeerTalk(site, peers) },
    { name: 'idle connections', peers: [prosody(true), ejabberd], run: (peers) => benchPeerIdle(site, peers) },
  ];
  const missing = new Set<string>();
  const rows: Row[] = [];
  for (const { name, peers, run } of parts.filter(({ name }) => name.includes(only))) {
    const present = peers.filter(({ program }) => findProgram(program));
    for (const peer of peers) if (!present.includes(peer)) missing.add(peer.name);
    if (present.length === 0) continue;
    const start = performance.now();
    rows.push(...(await run(present)));
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  for (const name of missing) console.log(`${name} is not installed here, so it is left out.`);
  return rows;
}
