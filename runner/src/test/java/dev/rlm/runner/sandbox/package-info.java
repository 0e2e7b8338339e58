@NullMarked
package dev.rlm.runner.sandbox;

import org.jspecify.annotations.NullMarked;
