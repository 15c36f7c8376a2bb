// `npm run test:s3`: tests the blob stores against a real S3 server: that of S3_ENDPOINT, or versitygw, which is built with Go
// when it is missing on the path.
import { join } from 'node:path';
import { withPrograms } from './goPrograms.mjs';
import { node, root } from './setup.mjs';

await withPrograms(process.env.S3_ENDPOINT ? [] : ['versitygw'], () =>
  node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', 'core/src/blobs/stores.test.ts']),
);
