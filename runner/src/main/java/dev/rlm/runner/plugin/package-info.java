/** Plug-ins and what is built in alike: how they are found by name, and called without waiting for them for ever. */
@NullMarked
package dev.rlm.runner.plugin;

import org.jspecify.annotations.NullMarked;
