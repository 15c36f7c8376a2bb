import { expect, it } from 'vitest';
import { networkOf } from './network.js';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:0:1::1', '20010db800000001/64'],
  ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '20010db800000001/64'],
  ['fe80::1%eth0', 'fe80000000000000/64'],
  ['2001:db8:0:2::1', '20010db800000002/64'],
  ['203.0.113.7:5000', '203.0.113.7'],
  ['[2001:db8:0:1::1]:5000', '20010db800000001/64'],
  ['[2001:db8:0:1::2]', '20010db800000001/64'],
  ['unknown', ''],
  ['', ''],
])('The address %j is counted as %j.', (address, counted) => {
  expect(networkOf(address)).toBe(counted);
});
