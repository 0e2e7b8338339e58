/** Calls of plug-ins that wait for none of them for ever. */
@NullMarked
package dev.rlm.runner.plugin;

import org.jspecify.annotations.NullMarked;
