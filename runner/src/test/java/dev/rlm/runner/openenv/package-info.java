@NullMarked
package dev.rlm.runner.openenv;

import org.jspecify.annotations.NullMarked;
