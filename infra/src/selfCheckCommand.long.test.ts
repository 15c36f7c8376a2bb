import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { checkNames, type SelfCheckReport } from '@lightbox/contract/selfCheck/report.js';
import { testConfig } from '@lightbox/testkit/config.js';
import { startMailbox } from '@lightbox/testkit/mailbox.js';
import { expect, it, onTestFinished } from 'vitest';

const command = join(import.meta.dirname, '../../core/dist/selfCheck/command.js');

it('`npm run self-check` prints every check, and ends with 1 when one of them fails.', async () => {
  const mailbox = await startMailbox();
  onTestFinished(() => mailbox.stop());
  const { mongodbUri, redisUrl, appKeys, encryptionKeys, dataDir } = await testConfig();
  const run = async (smtpUrl: string): Promise<{ status: number; said: string }> => {
    const child = spawn(process.execPath, [command, '--json'], {
      env: {
        MONGODB_URI: mongodbUri,
        REDIS_URL: redisUrl,
        SMTP_URL: smtpUrl,
        APP_KEYS: appKeys,
        ENCRYPTION_KEYS: encryptionKeys,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'silent',
      },
    });
    let said = '';
    for (const output of [child.stdout, child.stderr])
      output.on('data', (part) => {
        said += part;
      });
    const [status] = await once(child, 'close');
    return { status, said };
  };
  const reportOf = ({ said }: { said: string }) => JSON.parse(said) as SelfCheckReport;
  const failing = ({ checks }: SelfCheckReport) => checks.filter(({ state }) => state === 'failed');

  const well = await run(mailbox.url);
  expect(reportOf(well).checks.map(({ name }) => name)).toEqual([...checkNames]);
  expect(failing(reportOf(well))).toEqual([]);
  expect(well.status).toBe(0);

  const ill = await run('smtp://127.0.0.1:9');
  expect(failing(reportOf(ill))).toMatchObject([{ name: 'mail', fault: 'unreachable' }]);
  expect(ill.status).toBe(1);
});
