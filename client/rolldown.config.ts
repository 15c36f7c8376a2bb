import { defineConfig } from 'rolldown';

/** One file without dependencies, so that a technician can copy it to any computer with Node. */
export default defineConfig({
  input: 'dist/main.js',
  platform: 'node',
  output: { file: 'dist/lightbox.mjs', format: 'esm', minify: true },
});
