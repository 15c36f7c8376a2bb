import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, type Recipe } from './program.js';
import { DOMAIN } from './xmpp.js';

/** Loaded into Prosody when its memory is read: like a gateway then, it has collected what it no longer needs. */
const COLLECTOR = `module:add_timer(1, function ()
  collectgarbage("collect")
  return 1
end)
`;

/** Prosody as a new installation has it, with the archive of messages, and with accounts that are made over a connection. */
export const prosody = (collects = false): Recipe => ({
  name: 'Prosody',
  program: 'prosody',
  configure: (folder, port) => {
    const data = join(folder, 'data');
    const plugins = join(folder, 'plugins');
    for (const made of [data, plugins]) mkdirSync(made, { recursive: true });
    writeFileSync(join(plugins, 'mod_collector.lua'), COLLECTOR);
    const file = join(folder, 'prosody.cfg.lua');
    writeFileSync(
      file,
      `run_as_root = true
daemonize = false
pidfile = "${join(folder, 'prosody.pid')}"
data_path = "${data}"
plugin_paths = { "${plugins}" }
log = { warn = "${join(folder, 'prosody.log')}" }
interfaces = { "127.0.0.1" }
c2s_ports = { ${port} }
c2s_direct_tls_ports = { }
s2s_ports = { }
http_ports = { }
https_ports = { }
modules_enabled = { "disco", "roster", "saslauth", "ping", "mam", "register_ibr"${collects ? ', "collector"' : ''} }
modules_disabled = { "s2s", "tls" }
storage = "internal"
default_archive_policy = true
authentication = "internal_plain"
allow_registration = true
allow_unencrypted_plain_auth = true
c2s_require_encryption = false
VirtualHost "${DOMAIN}"
`,
    );
    return { args: ['-F', '--config', file] };
  },
});

/** Returns the folder of ejabberd's code, which its own command knows. */
function librariesOf(command: string): string {
  const folder = /^ERL_LIBS='?([^'\n]+)'?$/m.exec(readFileSync(command, 'utf8'))?.[1];
  if (!folder) throw new Error(`${command} does not name the folder of its code.`);
  return folder;
}

/** ejabberd with the archive of messages. It is started by `erl`: its own command leaves processes behind. */
export const ejabberd: Recipe = {
  name: 'ejabberd',
  program: 'ejabberdctl',
  configure: (folder, port) => {
    const file = join(folder, 'ejabberd.yml');
    writeFileSync(
      file,
      `hosts: [${DOMAIN}]
loglevel: error
auth_method: internal
registration_timeout: infinity
listen:
  - { port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s }
access_rules:
  everybody: { allow: all }
modules:
  mod_disco: {}
  mod_mam: { default: always, assume_mam_usage: true }
  mod_offline: {}
  mod_ping: {}
  mod_register: { access: everybody, ip_access: everybody }
  mod_roster: {}
`,
    );
    return {
      command: 'erl',
      args: ['+K', 'true', '-noinput', '-mnesia', 'dir', `"${join(folder, 'data')}"`, '-s', 'ejabberd'],
      env: {
        HOME: folder,
        ERL_LIBS: librariesOf(findProgram('ejabberdctl') ?? ''),
        EJABBERD_CONFIG_PATH: file,
        EJABBERD_LOG_PATH: join(folder, 'ejabberd.log'),
      },
    };
  },
};
