/** Tests of episodes on real Spark clusters. */
@NullMarked
package dev.rlm.engine.spark;

import org.jspecify.annotations.NullMarked;
