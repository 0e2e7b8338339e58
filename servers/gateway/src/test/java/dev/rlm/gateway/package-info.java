@NullMarked
package dev.rlm.gateway;

import org.jspecify.annotations.NullMarked;
