import { writeFileSync } from 'node:fs';
import { startProduct } from '@lightbox/core/testing/product.js';
import { openDesk } from './fuzz/desk.js';
import { generate, prepareGenerator } from './fuzz/generator.js';
import { type FuzzRole, People } from './fuzz/people.js';

const product = await startProduct({ DEMO: '1', LOG_LEVEL: 'warn' });
try {
  const program = prepareGenerator(console.log);
  const people = await People.of(product);
  const role = process.argv[2] as FuzzRole;
  const desk = await openDesk(product, people, role);
  const r = await generate(program, `${product.url}/api`, desk.url, `/tmp/fuzzrun-${role}`, {
    examples: Number(process.argv[3]),
    seconds: undefined,
    seed: 1,
  });
  writeFileSync(`/tmp/fuzzrun-${role}/out.txt`, r.output);
  writeFileSync(`/tmp/fuzzrun-${role}/product.txt`, product.output());
  console.log(r.status, r.report);
  await desk.stop();
} finally {
  await product.stop();
}
