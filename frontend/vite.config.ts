import { fileURLToPath } from 'node:url';
import { constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { compression, defineAlgorithm } from 'vite-plugin-compression2';
import { defineConfig } from 'vitest/config';
import { emojiData } from './emojiData';
import { chunkOf } from './firstLoad';
import { paintFirst } from './firstPaint';
import { leanIcons } from './leanIcons';
import { serviceWorker } from './pwa/plugin';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const gateway = process.env.GATEWAY_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/**
 * One chunk for each library that every screen needs, so that browsers keep them in the cache over our releases. The
 * Chakra chunk has only the parts that most screens use: /login does not load comboboxes.
 */
const shared = [
  {
    name: 'react',
    test: /node_modules\/(react|react-dom|react-router|react-router-dom|scheduler|jotai|i18next|react-i18next)\//,
  },
  { name: 'chakra', test: /node_modules\/(@chakra-ui|@ark-ui|@zag-js|@emotion|@floating-ui)\//, minShareCount: 28 },
  { name: chunkOf('sign-in', source('auth/Login.tsx'), source('main.tsx')) },
];

/** The gateway sends these files instead of compressing the same file for each browser. */
const compressed = compression({
  include: /assets\/.*\.(js|css|wasm|svg)$/,
  threshold: 1_024,
  logLevel: 'silent',
  algorithms: [
    'gzip',
    // The highest quality, 11, takes ten times longer for files that are a tenth smaller.
    defineAlgorithm('brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ],
});

export default defineConfig({
  plugins: [react(), emojiData(), leanIcons(), paintFirst(), serviceWorker(), compressed],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': gateway, '/socket.io': { target: gateway, ws: true } },
  },
  preview: { host: '127.0.0.1' },
  resolve: {
    // vtk.js needs this library only to write XML files, which the viewer does not.
    alias: { xmlbuilder2: source('viewer/engine/noXml.ts') },
  },
  // The decoders of the viewer are modules that load their WebAssembly by address.
  worker: { format: 'es' },
  optimizeDeps: {
    exclude: ['@cornerstonejs/dicom-image-loader'],
    include: ['dicom-parser'],
  },
  build: {
    outDir: 'dist',
    // The test of the first page's weight reads the imports of each chunk here. The gateway serves no dot files.
    manifest: true,
    // No data: URLs, because the content security policy allows fonts and pictures from our own origin.
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
