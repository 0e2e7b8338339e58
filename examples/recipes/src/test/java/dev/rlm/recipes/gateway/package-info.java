/** Agents on real client libraries, recorded by {@code rlm gateway} without a change to them. */
package dev.rlm.recipes.gateway;
