/** Episodes on Spark. */
@NullMarked
package dev.rlm.engine.spark;

import org.jspecify.annotations.NullMarked;
