@NullMarked
package dev.rlm.runner.exec;

import org.jspecify.annotations.NullMarked;
