#!/usr/bin/env node
import '@countersign/cli/bin/countersign.js';
