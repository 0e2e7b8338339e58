@NullMarked
package dev.rlm.cli.terminal;

import org.jspecify.annotations.NullMarked;
