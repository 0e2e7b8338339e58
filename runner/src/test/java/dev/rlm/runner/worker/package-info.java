@NullMarked
package dev.rlm.runner.worker;

import org.jspecify.annotations.NullMarked;
