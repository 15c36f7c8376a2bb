import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { leanIcons } from './leanIcons';
import { serviceWorker } from './pwa/plugin';

const gateway = process.env.GATEWAY_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/**
 * One chunk for each library that every screen needs, so that a new release of ours does not send them again. Of Chakra
 * only what most screens use: /login does not wait for comboboxes.
 */
const shared = [
  { name: 'react', test: /node_modules\/(react|react-dom|react-router|react-router-dom|scheduler)\// },
  { name: 'chakra', test: /node_modules\/(@chakra-ui|@ark-ui|@zag-js|@emotion|@floating-ui)\//, minShareCount: 16 },
];

export default defineConfig({
  plugins: [react(), leanIcons(), serviceWorker()],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': gateway, '/socket.io': { target: gateway, ws: true } },
  },
  preview: { host: '127.0.0.1' },
  build: {
    outDir: 'dist',
    // What loads what: the test of the first page's weight reads it. The gateway serves no dot files.
    manifest: true,
    // No data: URLs: the fonts and pictures come from our own origin, as the content policy says.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { output: { codeSplitting: { groups: shared } } },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['vitest.setup.ts'],
    restoreMocks: true,
  },
});
