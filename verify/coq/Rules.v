(** The rules of docs/proofs.md over the real numbers of Coq: a lemma for each, and tactics for what a
    rule leaves to be computed.

    A goal of a proof tree is [0 <= f] or [0 < f]; its box and hypotheses are in the context.

    - [range]: the sign of an expression, from the ranges of its variables;
    - [same]: two expressions agree (field, with exp, ln and sqrt taken apart);
    - [derive]: an expression is the derivative of another ([auto_derive], then [same]).

    Nothing is assumed: no axiom is added to those of the real numbers. *)

From Coq Require Import Reals Lra Psatz ZArith Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Verify Require Export Boxes.
Import ListNotations.
Open Scope R_scope.

(** * Signs *)

Lemma both_negative a b : a <= 0 -> b <= 0 -> 0 <= a * b.
Proof. nra. Qed.

Lemma both_below a b : a < 0 -> b < 0 -> 0 < a * b.
Proof. nra. Qed.

Lemma opposite a b : 0 <= a -> b <= 0 -> a * b <= 0.
Proof. nra. Qed.

Lemma opposite' a b : a <= 0 -> 0 <= b -> a * b <= 0.
Proof. nra. Qed.

Lemma opposite_strict a b : 0 < a -> b < 0 -> a * b < 0.
Proof. nra. Qed.

Lemma opposite_strict' a b : a < 0 -> 0 < b -> a * b < 0.
Proof. nra. Qed.

Lemma inverse_nonneg a : 0 <= a -> 0 <= / a.
Proof.
  intros [H | <-].
  - now apply Rlt_le, Rinv_0_lt_compat.
  - rewrite Rinv_0. lra.
Qed.

Lemma inverse_below a : a < 0 -> / a < 0.
Proof. apply Rinv_lt_0_compat. Qed.

Lemma inverse_nonpos a : a <= 0 -> / a <= 0.
Proof.
  intros [H | ->].
  - now apply Rlt_le, Rinv_lt_0_compat.
  - rewrite Rinv_0. lra.
Qed.

Lemma inverse_at_most_1 a : 1 <= a -> / a <= 1.
Proof. intros H. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

Lemma inverse_less_1 a : 1 < a -> / a < 1.
Proof. intros H. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. Qed.

Lemma inverse_at_least_1 a : 0 < a -> a <= 1 -> 1 <= / a.
Proof. intros. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

Lemma square_nonneg a n : 0 <= a ^ (n + n).
Proof. rewrite pow_add. nra. Qed.

Lemma square_pos a n : a <> 0 -> 0 < a ^ (n + n).
Proof.
  intros H. rewrite pow_add. assert (a ^ n <> 0) by now apply pow_nonzero. nra.
Qed.

Lemma odd_nonpos a n : a <= 0 -> a ^ S (n + n) <= 0.
Proof. intros H. simpl. pose proof (square_nonneg a n). nra. Qed.

Lemma odd_below a n : a < 0 -> a ^ S (n + n) < 0.
Proof. intros H. simpl. assert (0 < a ^ (n + n)) by (apply square_pos; lra). nra. Qed.

Lemma power_at_least_1 a n : 1 <= a -> 1 <= a ^ n.
Proof. apply pow_R1_Rle. Qed.

Lemma power_at_least b n e : 1 < b -> INR n <= e -> b ^ n <= Rpower b e.
Proof. intros Hb Hn. rewrite <- Rpower_pow by lra. apply Rle_Rpower; lra. Qed.

Lemma exp_at_least_1 u : 0 <= u -> 1 <= exp u.
Proof. intros H. pose proof (exp_ineq1_le u). lra. Qed.

Lemma exp_more_than_1 u : 0 < u -> 1 < exp u.
Proof. intros H. rewrite <- exp_0. now apply exp_increasing. Qed.

Lemma exp_at_most_1 u : u <= 0 -> exp u <= 1.
Proof. intros [H | ->]; [rewrite <- exp_0; now apply Rlt_le, exp_increasing | rewrite exp_0; lra]. Qed.

Lemma exp_less_than_1 u : u < 0 -> exp u < 1.
Proof. intros H. rewrite <- exp_0. now apply exp_increasing. Qed.

Lemma ln_nonneg u : 1 <= u -> 0 <= ln u.
Proof. intros H. rewrite <- ln_1. apply ln_le; lra. Qed.

Lemma ln_pos u : 1 < u -> 0 < ln u.
Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_nonpos u : 0 < u -> u <= 1 -> ln u <= 0.
Proof. intros. rewrite <- ln_1. apply ln_le; lra. Qed.

Lemma ln_neg u : 0 < u -> u < 1 -> ln u < 0.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_tangent u : 0 < u -> ln u <= u - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln u)). rewrite exp_ln in H0; lra. Qed.

Lemma sqrt_at_least_1 u : 1 <= u -> 1 <= sqrt u.
Proof. intros H. rewrite <- sqrt_1. now apply sqrt_le_1_alt. Qed.

Lemma sqrt_more_than_1 u : 1 < u -> 1 < sqrt u.
Proof. intros H. rewrite <- sqrt_1. apply sqrt_lt_1_alt; lra. Qed.

Lemma sqrt_at_most_1 u : u <= 1 -> sqrt u <= 1.
Proof. intros H. rewrite <- sqrt_1. now apply sqrt_le_1_alt. Qed.

Lemma cos_less_than_1 u : 0 < u -> u <= 157 / 50 -> cos u < 1.
Proof. intros. rewrite <- cos_0. apply cos_decreasing_1; try lra; interval. Qed.

(** A fact is kept once. *)
Ltac know P proof :=
  lazymatch goal with
  | _ : P |- _ => idtac
  | _ => let H := fresh "F" in assert (H : P) by proof
  end.

Ltac closed e :=
  lazymatch e with
  | ?a + ?b => closed a; closed b
  | ?a - ?b => closed a; closed b
  | ?a * ?b => closed a; closed b
  | ?a / ?b => closed a; closed b
  | - ?a => closed a
  | / ?a => closed a
  | ?a ^ _ => closed a
  | exp ?a => closed a
  | ln ?a => closed a
  | sqrt ?a => closed a
  | sin ?a => closed a
  | cos ?a => closed a
  | atan ?a => closed a
  | Rpower ?a ?b => closed a; closed b
  | PI => idtac
  | IZR _ => idtac
  end.

Ltac numeral e :=
  lazymatch e with
  | IZR _ => idtac
  | - ?a => numeral a
  | / ?a => numeral a
  | ?a / ?b => numeral a; numeral b
  end.

(** A product without the numbers in front of it. *)
Ltac without_number e :=
  lazymatch e with
  | ?a * ?b =>
      match goal with
      | _ => let _ := lazymatch goal with _ => numeral a end in without_number b
      | _ => let _ := lazymatch goal with _ => numeral b end in without_number a
      | _ => let a' := without_number a in let b' := without_number b in constr:(a' * b')
      end
  | ?a / ?b => let _ := lazymatch goal with _ => numeral b end in without_number a
  | _ => e
  end.

(** [nonneg], [pos], [nonpos], [below]: goals [0 <= e], [0 < e], [e <= 0], [e < 0].  What is linear in parts
    with known bounds is for [linear]; products, quotients and powers are taken apart where that is not enough. *)
Ltac nonneg := first [ lra | linear |
  lazymatch goal with
  | |- 0 <= ?a * ?b => first [ apply Rmult_le_pos; nonneg | apply both_negative; nonpos ]
  | |- 0 <= ?a / ?b => unfold Rdiv; nonneg
  | |- 0 <= / ?a => apply inverse_nonneg; nonneg
  | |- 0 <= - ?a => apply Ropp_0_ge_le_contravar, Rle_ge; nonpos
  | |- 0 <= ln _ => apply ln_nonneg; less
  | |- 0 <= Rmax ?a ?b =>
      first [ apply Rle_trans with (2 := Rmax_l a b); nonneg | apply Rle_trans with (2 := Rmax_r a b); nonneg ]
  | |- 0 <= Rmin ?a ?b => apply Rmin_glb; nonneg
  | |- 0 <= ?a ^ ?n => apply pow_le; nonneg
  end ]
with pos := first [ lra | linear |
  lazymatch goal with
  | |- 0 < ?a * ?b => first [ apply Rmult_lt_0_compat; pos | apply both_below; below ]
  | |- 0 < ?a / ?b => unfold Rdiv; pos
  | |- 0 < / ?a => apply Rinv_0_lt_compat; pos
  | |- 0 < - ?a => apply Ropp_0_gt_lt_contravar, Rlt_gt; below
  | |- 0 < sqrt _ => apply sqrt_lt_R0; pos
  | |- 0 < ln _ => apply ln_pos; lessthan
  | |- 0 < Rmax ?a ?b =>
      first [ apply Rlt_le_trans with (2 := Rmax_l a b); pos | apply Rlt_le_trans with (2 := Rmax_r a b); pos ]
  | |- 0 < Rmin ?a ?b => apply Rmin_glb_lt; pos
  | |- 0 < ?a ^ ?n =>
      first [ apply pow_lt; pos
            | let h := eval compute in (Nat.div2 n) in
              change n with (h + h)%nat; apply square_pos; apply Rlt_not_eq; below ]
  end ]
with nonpos := first [ lra | linear |
  lazymatch goal with
  | |- ?a * ?b <= 0 => first [ apply opposite; [nonneg | nonpos] | apply opposite'; [nonpos | nonneg] ]
  | |- ?a / ?b <= 0 => unfold Rdiv; nonpos
  | |- / ?a <= 0 => apply inverse_nonpos; nonpos
  | |- - ?a <= 0 => apply Rge_le, Ropp_0_le_ge_contravar; nonneg
  | |- ln _ <= 0 => apply ln_nonpos; [pos | less]
  | |- ?a ^ ?n <= 0 =>
      let h := eval compute in (Nat.div2 n) in change n with (S (h + h)); apply odd_nonpos; nonpos
  end ]
with below := first [ lra | linear |
  lazymatch goal with
  | |- ?a * ?b < 0 => first [ apply opposite_strict; [pos | below] | apply opposite_strict'; [below | pos] ]
  | |- ?a / ?b < 0 => unfold Rdiv; below
  | |- / ?a < 0 => apply inverse_below; below
  | |- - ?a < 0 => apply Rgt_lt, Ropp_0_lt_gt_contravar; pos
  | |- ln _ < 0 => apply ln_neg; [pos | lessthan]
  | |- ?a ^ ?n < 0 =>
      let h := eval compute in (Nat.div2 n) in change n with (S (h + h)); apply odd_below; below
  end ]
(** [a <= b] and [a < b], for the facts below *)
with less := first [ lra | linear ]
with lessthan := first [ lra | linear ]
(** What is linear in sums, after the facts about everything in them have been collected. *)
with linear :=
  lazymatch goal with
  | |- ?a <= ?b => collect a; collect b
  | |- ?a < ?b => collect a; collect b
  end;
  lra
with collect e :=
  lazymatch e with
  | ?a + ?b => collect a; collect b
  | ?a - ?b => collect a; collect b
  | - ?a => collect a
  | ?a * ?b => first [ numeral a; collect b | numeral b; collect a
                     | let a' := without_number a in let b' := without_number b in
                       collect a'; collect b'; product a' b' ]
  | ?a / ?b => first [ numeral b; collect a | collect a; collect (/ b); quotient a b ]
  | / ?a => first [ numeral a | collect a; inverse a ]
  | exp ?u => first [ closed u; constant e | collect u; exponential u ]
  | ln ?u => first [ closed u; constant e | collect u; logarithm u ]
  | sqrt ?u => first [ closed u; constant e | collect u; square_root u ]
  | ?a ^ ?n => first [ closed a; constant e | collect a; power a n ]
  | Rmax ?a ?b => collect a; collect b; know (a <= e) ltac:(apply Rmax_l); know (b <= e) ltac:(apply Rmax_r)
  | Rmin ?a ?b => collect a; collect b; know (e <= a) ltac:(apply Rmin_l); know (e <= b) ltac:(apply Rmin_r)
  | Rabs ?a =>
      collect a; know (0 <= e) ltac:(apply Rabs_pos); know (a <= e) ltac:(apply Rle_abs);
      know (- a <= e) ltac:(rewrite <- Rabs_Ropp; apply Rle_abs)
  | Rpower _ _ => know (0 < e) ltac:(apply exp_pos)
  | sin ?u => first [ closed u; constant e | know (-1 <= e <= 1) ltac:(apply SIN_bound) ]
  | cos ?u => first [ closed u; constant e | know (-1 <= e <= 1) ltac:(apply COS_bound);
                      try (know (e < 1) ltac:(apply cos_less_than_1; lra)) ]
  | PI => constant e
  | _ => idtac
  end
with constant e :=
  let H := fresh "F" in interval_intro e with (i_prec 80) as H
with exponential u :=
  know (0 < exp u) ltac:(apply exp_pos);
  know (1 + u <= exp u) ltac:(apply exp_ineq1_le);
  try (know (exp u < 1) ltac:(apply exp_less_than_1; lra));
  try (know (exp u <= 1) ltac:(apply exp_at_most_1; lra));
  try (know (1 < exp u) ltac:(apply exp_more_than_1; lra))
with logarithm u :=
  let H := fresh "F" in
  assert (H : 0 < u) by lra;
  know (ln u <= u - 1) ltac:(apply ln_tangent; exact H);
  try (know (0 < ln u) ltac:(apply ln_pos; lra));
  try (know (0 <= ln u) ltac:(apply ln_nonneg; lra));
  try (know (ln u < 0) ltac:(apply ln_neg; lra));
  try (know (ln u <= 0) ltac:(apply ln_nonpos; lra))
with square_root u :=
  know (0 <= sqrt u) ltac:(apply sqrt_pos);
  try (know (0 < sqrt u) ltac:(apply sqrt_lt_R0; lra));
  try (know (1 < sqrt u) ltac:(apply sqrt_more_than_1; lra));
  try (know (1 <= sqrt u) ltac:(apply sqrt_at_least_1; lra));
  try (know (sqrt u <= 1) ltac:(apply sqrt_at_most_1; lra))
with inverse a :=
  first [ know (0 < / a) ltac:(apply Rinv_0_lt_compat; lra)
        | know (/ a < 0) ltac:(apply Rinv_lt_0_compat; lra) | idtac ];
  try (know (/ a < 1) ltac:(apply inverse_less_1; lra));
  try (know (/ a <= 1) ltac:(apply inverse_at_most_1; lra));
  try (know (1 <= / a) ltac:(apply inverse_at_least_1; lra))
with power a n :=
  first [ know (0 < a ^ n) ltac:(apply pow_lt; lra) | know (0 <= a ^ n) ltac:(apply pow_le; lra)
        | even_power a n | odd_power a n | idtac ];
  try (know (1 <= a ^ n) ltac:(apply power_at_least_1; lra))
with even_power a n :=
  let h := eval compute in (Nat.div2 n) in
  let m := eval compute in (h + h)%nat in
  constr_eq m n;
  know (0 <= a ^ n) ltac:(change n with (h + h)%nat; apply square_nonneg);
  try (know (0 < a ^ n) ltac:(change n with (h + h)%nat; apply square_pos; apply Rlt_not_eq; lra))
with odd_power a n :=
  let h := eval compute in (Nat.div2 n) in
  know (a ^ n <= 0) ltac:(change n with (S (h + h)); apply odd_nonpos; lra)
(** The four ways to bound a product by one factor: its sign, and a factor compared with 1. *)
with product a b :=
  first [ know (0 < a * b) ltac:(apply Rmult_lt_0_compat; lra) | know (0 <= a * b) ltac:(apply Rmult_le_pos; lra)
        | know (a * b < 0) ltac:(apply opposite_strict; lra) | know (a * b < 0) ltac:(apply opposite_strict'; lra)
        | know (a * b <= 0) ltac:(apply opposite; lra) | know (a * b <= 0) ltac:(apply opposite'; lra)
        | know (0 < a * b) ltac:(apply both_below; lra) | know (0 <= a * b) ltac:(apply both_negative; lra)
        | idtac ];
  try (know (a <= a * b) ltac:(assert (0 <= a * (b - 1)) by alike; lra));
  try (know (b <= a * b) ltac:(assert (0 <= (a - 1) * b) by alike; lra));
  try (know (a * b <= a) ltac:(assert (0 <= a * (1 - b)) by alike; lra));
  try (know (a * b <= b) ltac:(assert (0 <= (1 - a) * b) by alike; lra))
with alike := first [ apply Rmult_le_pos; lra | apply both_negative; lra ]
with quotient a b := change (a / b) with (a * / b) in *; product a (/ b).

(** [ln u] is at least [ln c], in numbers. *)
Ltac at_least_ln u c :=
  let H := fresh "L" in let K := fresh "L" in
  assert (H : ln c <= ln u) by (apply ln_le; [ lra | less ]);
  interval_intro (ln c) with (i_prec 60) as K.

(** [Rpower b e] is at least [b ^ n], which is [c]. *)
Ltac at_least_power b n e c :=
  let H := fresh "P" in
  assert (H : c <= Rpower b e) by (apply Rle_trans with (b ^ n); [ simpl; lra | apply power_at_least; simpl; lra ]).

(** The sign of an expression over the ranges in the context. *)
Ltac signs :=
  lazymatch goal with
  | |- 0 <= _ => nonneg
  | |- 0 < _ => pos
  | |- _ <> 0 => first [ apply Rgt_not_eq, Rlt_gt; pos | apply Rlt_not_eq; below ]
  | |- _ <= _ => less
  | |- _ < _ => lessthan
  end.

(** Over one denominator. *)
Ltac fraction :=
  lazymatch goal with
  | |- 0 < ?e => field_simplify e; [ apply Rdiv_lt_0_compat; signs | repeat split; signs .. ]
  | |- 0 <= ?e => field_simplify e; [ apply Rmult_le_pos; [ signs | apply inverse_nonneg; signs ] | repeat split; signs .. ]
  end.

(** Sines of angles between 0 and pi. *)
Ltac sines :=
  assert (PI_RGT_0 := PI_RGT_0);
  repeat match goal with
  | |- context [sin ?u] =>
      lazymatch goal with _ : 0 < sin u |- _ => fail | _ : 0 <= sin u |- _ => fail | _ => idtac end;
      first
      [ know (0 < sin u) ltac:(apply sin_gt_0; first [ pos | nra ])
      | know (0 <= sin u) ltac:(apply sin_ge_0; first [ nonneg | nra ]) ]
  end; signs.

Ltac range := solve
  [ lra | signs | interval with (i_prec 60) | nra | fraction | sines ].

(** On a bounded box: Taylor models and bisection. *)
Ltac taylor x := solve
  [ interval with (i_bisect x, i_taylor x, i_prec 60)
  | interval with (i_bisect x, i_autodiff x, i_prec 60) | range ].

(** * Identities *)

Lemma exp_minus a b : exp (a - b) = exp a / exp b.
Proof. unfold Rminus, Rdiv. now rewrite exp_plus, exp_Ropp. Qed.

Lemma exp_times n u : exp (IZR (Zpos n) * u) = exp u ^ Pos.to_nat n.
Proof.
  rewrite <- positive_nat_Z, <- INR_IZR_INZ.
  induction (Pos.to_nat n) as [| k IH].
  - simpl. now rewrite Rmult_0_l, exp_0.
  - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.

Lemma exp_times_neg n u : exp (IZR (Zneg n) * u) = / exp u ^ Pos.to_nat n.
Proof.
  replace (IZR (Zneg n) * u) with (- (IZR (Zpos n) * u)).
  - now rewrite exp_Ropp, exp_times.
  - change (Zneg n) with (- Zpos n)%Z. rewrite opp_IZR. ring.
Qed.

Lemma exp_half u : exp (u / 2) = sqrt (exp u).
Proof.
  replace (exp u) with (exp (u / 2) * exp (u / 2)).
  - rewrite sqrt_square; [easy | apply Rlt_le, exp_pos].
  - rewrite <- exp_plus. f_equal. field.
Qed.

Lemma exp_halves n u : exp (IZR (Zpos n) / 2 * u) = sqrt (exp u) ^ Pos.to_nat n.
Proof. rewrite <- exp_half, <- exp_times. f_equal. field. Qed.

Lemma exp_halves_neg n u : exp (IZR (Zneg n) / 2 * u) = / sqrt (exp u) ^ Pos.to_nat n.
Proof. rewrite <- exp_half, <- exp_times, <- exp_Ropp. f_equal. change (Zneg n) with (- Zpos n)%Z. rewrite opp_IZR. field. Qed.

Lemma exp_plus_times a b c : exp ((a + b) * c) = exp (a * c) * exp (b * c).
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma exp_minus_times a b c : exp ((a - b) * c) = exp (a * c) / exp (b * c).
Proof. rewrite <- exp_minus. f_equal. ring. Qed.

Lemma exp_opp_times a c : exp (- a * c) = / exp (a * c).
Proof. rewrite <- exp_Ropp. f_equal. ring. Qed.

Lemma exp_times_times n a c : exp (IZR (Zpos n) * a * c) = exp (a * c) ^ Pos.to_nat n.
Proof. rewrite <- exp_times. f_equal. ring. Qed.

Lemma exp_half_number n : exp (IZR (Zpos n) / 2) = exp (/ 2) ^ Pos.to_nat n.
Proof. rewrite <- exp_times. reflexivity. Qed.

Lemma exp_negative_number n : exp (IZR (Zneg n)) = / exp (IZR (Zpos n)).
Proof. rewrite <- exp_Ropp. reflexivity. Qed.

Lemma exp_number n : exp (IZR (Zpos n)) = exp (/ 2) ^ (2 * Pos.to_nat n).
Proof.
  rewrite pow_mult.
  replace (exp (/ 2) ^ 2) with (exp 1); [rewrite <- exp_times; f_equal; ring | ].
  simpl. rewrite Rmult_1_r, <- exp_plus. f_equal. field.
Qed.

Lemma ln_inverse u : 0 < u -> ln (/ u) = - ln u.
Proof. apply ln_Rinv. Qed.

Lemma ln_sqrt u : 0 < u -> ln (sqrt u) = ln u / 2.
Proof.
  intros H. rewrite <- (exp_ln u H) at 1. rewrite <- exp_half. apply ln_exp.
Qed.

Lemma sqrt_quotient a b : 0 < b -> sqrt (a / b) = sqrt a / sqrt b.
Proof. apply sqrt_div_alt. Qed.

Lemma sqrt_of_square a : 0 <= a -> sqrt (a ^ 2) = a.
Proof. intros H. now apply sqrt_pow2. Qed.

Ltac nats := cbv [Pos.to_nat Pos.iter_op Init.Nat.add INR].

Ltac logs := repeat first
  [ rewrite ln_exp | rewrite ln_1
  | rewrite ln_mult by pos | rewrite ln_div by pos | rewrite ln_inverse by pos
  | rewrite ln_pow by pos | rewrite ln_sqrt by pos ].

(** Logarithms of numbers by their small factors. *)
Ltac take_out z p :=
  let q := eval vm_compute in (Z.div z p) in
  let r := eval vm_compute in (Z.modulo z p) in
  constr_eq r 0%Z; tryif constr_eq q 1%Z then fail else
  replace (ln (IZR z)) with (ln (IZR p) + ln (IZR q)) by (rewrite <- ln_mult by lra; f_equal; lra).

Ltac numbers := repeat match goal with
  | |- context [ln (IZR ?z)] => first [ take_out z 2%Z | take_out z 3%Z | take_out z 5%Z | take_out z 7%Z ]
  end.

Ltac exps := repeat first
  [ rewrite exp_plus | rewrite exp_minus | rewrite exp_Ropp | rewrite exp_0
  | rewrite exp_plus_times | rewrite exp_minus_times | rewrite exp_opp_times | rewrite exp_times_times
  | rewrite exp_times | rewrite exp_times_neg | rewrite exp_halves | rewrite exp_halves_neg
  | rewrite exp_ln by (first [ pos | fraction ]) ].

(** The root of a square number. *)
Ltac whole_roots := repeat match goal with
  | |- context [sqrt (IZR ?z)] =>
      let r := eval vm_compute in (Z.sqrt z) in
      let q := eval vm_compute in (r * r)%Z in
      constr_eq q z; replace (sqrt (IZR z)) with (IZR r) by (symmetry; apply sqrt_lem_1; lra)
  end.

Ltac roots := repeat first
  [ rewrite sqrt_1 | rewrite sqrt_0
  | rewrite sqrt_of_square by nonneg
  | rewrite sqrt_mult by nonneg | rewrite sqrt_quotient by pos ]; whole_roots.

(** Squares of roots, for [field]. *)
Ltac root_facts :=
  repeat match goal with
  | |- context [sqrt ?u] =>
      lazymatch goal with
      | _ : sqrt u * sqrt u = u |- _ => fail
      | _ => let H := fresh "R" in assert (H : sqrt u * sqrt u = u) by (apply sqrt_sqrt; nonneg)
      end
  end.

Ltac unequal := first
  [ signs | apply Rgt_not_eq, Rlt_gt; fraction | apply Rmult_integral_contrapositive_currified; unequal ].

Ltac nonzero := repeat split; try solve [ signs | lra | fraction | unequal ].

Ltac by_field :=
  root_facts;
  lazymatch goal with
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2, H3 : sqrt ?a3 * sqrt ?a3 = ?a3, H4 : sqrt ?a4 * sqrt ?a4 = ?a4, H5 : sqrt ?a5 * sqrt ?a5 = ?a5, H6 : sqrt ?a6 * sqrt ?a6 = ?a6, H7 : sqrt ?a7 * sqrt ?a7 = ?a7 |- _ =>
      field [H1 H2 H3 H4 H5 H6 H7]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2, H3 : sqrt ?a3 * sqrt ?a3 = ?a3, H4 : sqrt ?a4 * sqrt ?a4 = ?a4, H5 : sqrt ?a5 * sqrt ?a5 = ?a5, H6 : sqrt ?a6 * sqrt ?a6 = ?a6 |- _ =>
      field [H1 H2 H3 H4 H5 H6]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2, H3 : sqrt ?a3 * sqrt ?a3 = ?a3, H4 : sqrt ?a4 * sqrt ?a4 = ?a4, H5 : sqrt ?a5 * sqrt ?a5 = ?a5 |- _ =>
      field [H1 H2 H3 H4 H5]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2, H3 : sqrt ?a3 * sqrt ?a3 = ?a3, H4 : sqrt ?a4 * sqrt ?a4 = ?a4 |- _ =>
      field [H1 H2 H3 H4]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2, H3 : sqrt ?a3 * sqrt ?a3 = ?a3 |- _ => field [H1 H2 H3]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1, H2 : sqrt ?a2 * sqrt ?a2 = ?a2 |- _ => field [H1 H2]
  | H1 : sqrt ?a1 * sqrt ?a1 = ?a1 |- _ => field [H1]
  | _ => field
  end; nonzero.

(** What is 0 or 1 after a value was put in. *)
Ltac tidy :=
  rewrite ?Rplus_0_l, ?Rplus_0_r, ?Rminus_0_r, ?Rmult_0_l, ?Rmult_0_r, ?Rmult_1_l, ?Rmult_1_r, ?Ropp_0, ?exp_0,
    ?ln_1, ?sqrt_0, ?sqrt_1, ?sin_0, ?cos_0, ?atan_0.

(** Maxima, minima and absolute values, the innermost first: by what is said, by what is seen, else by cases. *)
Ltac smooth_part a :=
  lazymatch a with
  | context [Rmax _ _] => fail
  | context [Rmin _ _] => fail
  | context [Rabs _] => fail
  | _ => idtac
  end.

Ltac kinks :=
  rewrite ?Rabs_mult;
  repeat match goal with
  | |- context [Rmax ?a ?b] => smooth_part a; smooth_part b;
      first [ rewrite (Rmax_right a b) by lra | rewrite (Rmax_left a b) by lra
            | rewrite (Rmax_right a b) by less | rewrite (Rmax_left a b) by less
            | destruct (Rle_or_lt a b); [ rewrite (Rmax_right a b) by lra | rewrite (Rmax_left a b) by lra ] ]
  | |- context [Rmin ?a ?b] => smooth_part a; smooth_part b;
      first [ rewrite (Rmin_left a b) by lra | rewrite (Rmin_right a b) by lra
            | rewrite (Rmin_left a b) by less | rewrite (Rmin_right a b) by less
            | destruct (Rle_or_lt a b); [ rewrite (Rmin_left a b) by lra | rewrite (Rmin_right a b) by lra ] ]
  | |- context [Rabs ?a] => smooth_part a;
      first [ rewrite (Rabs_pos_eq a) by lra | rewrite (Rabs_left1 a) by lra
            | rewrite (Rabs_pos_eq a) by less | rewrite (Rabs_left1 a) by less
            | destruct (Rle_or_lt 0 a); [ rewrite (Rabs_pos_eq a) by lra | rewrite (Rabs_left a) by lra ] ]
  end.

Ltac plain := cbn [pow]; unfold Rminus, Rdiv.

(** Sines and cosines: the addition theorems, and the equation of the circle. *)
Ltac split_angle p u :=
  let q := eval vm_compute in (Z.pos p - 1)%Z in
  replace (IZR (Zpos p) * u) with (IZR q * u + u) by ring.

Ltac angles := rewrite ?Rmult_1_l; repeat first
  [ rewrite sin_plus | rewrite cos_plus | rewrite sin_minus | rewrite cos_minus
  | rewrite sin_neg | rewrite cos_neg | rewrite Rmult_1_l
  | match goal with
    | |- context [sin (IZR (Zpos ?p) * ?u)] => split_angle p u
    | |- context [cos (IZR (Zpos ?p) * ?u)] => split_angle p u
    end ].

Ltac circles :=
  repeat match goal with
  | |- context [sin ?u] =>
      lazymatch goal with
      | _ : sin u * sin u = 1 - cos u * cos u |- _ => fail
      | _ => let H := fresh "C" in
             assert (H : sin u * sin u = 1 - cos u * cos u) by (assert (H := sin2_cos2 u); unfold Rsqr in H; lra)
      end
  end.

Ltac waves :=
  lazymatch goal with |- context [sin _] => idtac | |- context [cos _] => idtac end;
  angles; rewrite ?sin_PI2, ?cos_PI2, ?sin_PI, ?cos_PI; circles;
  lazymatch goal with
  | H1 : sin ?a * sin ?a = _, H2 : sin ?b * sin ?b = _ |- _ => first [ ring [H1 H2] | field [H1 H2]; nonzero ]
  | H1 : sin ?a * sin ?a = _ |- _ => first [ ring [H1] | field [H1]; nonzero ]
  | _ => ring
  end.

Ltac smooth_same := solve
  [ reflexivity | ring | tidy; first [ reflexivity | ring ]
  | by_field
  | unfold Rpower; tidy; logs; exps; roots; nats; tidy; first [ reflexivity | ring | by_field ]
  | unfold Rpower; logs; numbers; exps; roots; nats; by_field
  | f_equal; first [ ring | field; nonzero ]
  | rewrite ?exp_half_number, ?exp_negative_number, ?exp_number; nats; cbn [Nat.mul Nat.add]; by_field
  | plain; by_field | plain; unfold Rpower; logs; exps; roots; nats; by_field
  | waves ].

Ltac same :=
  lazymatch goal with
  | |- ?a = ?b =>
      tryif (smooth_part a; smooth_part b) then smooth_same
      else solve [ smooth_same | kinks; first [ lra | exfalso; lra | smooth_same | exfalso; nra ] ]
  end.

(** * From a relation to a goal, and from a goal to others *)

Lemma at_most f a b : b - a = f -> 0 <= f -> a <= b.
Proof. lra. Qed.

Lemma less_than f a b : b - a = f -> 0 < f -> a < b.
Proof. lra. Qed.

Lemma rewriting f g : f = g -> 0 <= g -> 0 <= f.
Proof. lra. Qed.

Lemma rewriting_strict f g : f = g -> 0 < g -> 0 < f.
Proof. lra. Qed.

Lemma multiply f a b : f = a * b -> 0 <= a -> 0 <= b -> 0 <= f.
Proof. intros ->. apply Rmult_le_pos. Qed.

Lemma multiply_strict f a b : f = a * b -> 0 < a -> 0 < b -> 0 < f.
Proof. intros ->. apply Rmult_lt_0_compat. Qed.

Lemma given f m rest g : 0 <= g -> f = m * g + rest -> 0 <= m -> 0 <= rest -> 0 <= f.
Proof. nra. Qed.

Lemma given_strict f m rest g : 0 <= g -> f = m * g + rest -> 0 <= m -> 0 < rest -> 0 < f.
Proof. nra. Qed.

Lemma given_less f m rest g : 0 < g -> f = m * g + rest -> 0 <= m -> 0 <= rest -> 0 <= f.
Proof. nra. Qed.

Lemma given_less_strict f m rest g : 0 < g -> f = m * g + rest -> 0 <= m -> 0 < rest -> 0 < f.
Proof. nra. Qed.

Lemma given_equal f m rest g : 0 = g -> f = m * g + rest -> 0 <= rest -> 0 <= f.
Proof. intros <-. lra. Qed.

Lemma given_equal_strict f m rest g : 0 = g -> f = m * g + rest -> 0 < rest -> 0 < f.
Proof. intros <-. lra. Qed.

(** A hypothesis [a <= b] as [0 <= g]. *)
Lemma gap_at_most g a b : a <= b -> b - a = g -> 0 <= g.
Proof. lra. Qed.

Lemma gap_less g a b : a < b -> b - a = g -> 0 < g.
Proof. lra. Qed.

Lemma gap_equal g a b : a = b -> b - a = g -> 0 = g.
Proof. lra. Qed.

Ltac as_gap G g :=
  first [ apply (gap_at_most g) in G; [ | same] | apply (gap_less g) in G; [ | same] | apply (gap_equal g) in G; [ | same] ].

Lemma logarithm_rule f a b g :
  f = a - b -> 0 < a -> 0 < b -> ln a - ln b = g -> 0 <= g -> 0 <= f.
Proof.
  intros -> Ha Hb <- H. assert (b <= a); [ | lra].
  rewrite <- (exp_ln a), <- (exp_ln b) by assumption.
  destruct (Rle_lt_or_eq_dec (ln b) (ln a)) as [h | h]; [lra | | rewrite h; lra].
  now apply Rlt_le, exp_increasing.
Qed.

Lemma logarithm_rule_strict f a b g :
  f = a - b -> 0 < a -> 0 < b -> ln a - ln b = g -> 0 < g -> 0 < f.
Proof.
  intros -> Ha Hb <- H. assert (b < a); [ | lra].
  rewrite <- (exp_ln a), <- (exp_ln b) by assumption. apply exp_increasing. lra.
Qed.

(** Sums of products of what is known: [s f = r].  Where [s] may be 0, [combined_apart] leaves those points out. *)
Lemma combined f s r : s * f = r -> 0 < s -> 0 <= r -> 0 <= f.
Proof. nra. Qed.

Lemma combined_strict f s r : s * f = r -> 0 <= s -> 0 < r -> 0 < f.
Proof. nra. Qed.

Lemma combined_apart f s r : s * f = r -> 0 <= s -> 0 <= r -> s <> 0 -> 0 <= f.
Proof. nra. Qed.

Lemma equation_times g q : 0 = g -> 0 <= g * q.
Proof. intros <-. lra. Qed.

(** The sign of a sum of products of squares, numbers and what is known; if it is strict, the last one is. *)
Ltac products := first
  [ assumption
  | apply Rlt_le; assumption
  | lazymatch goal with
    | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; products
    | |- 0 < _ + _ => apply Rplus_le_lt_0_compat; products
    | |- 0 <= _ ^ 2 => apply pow2_ge_0
    | |- 0 <= _ * _ => first [ apply equation_times; assumption | apply Rmult_le_pos; products ]
    | |- 0 < _ * _ => apply Rmult_lt_0_compat; products
    end
  | lra ].

(** An identity of polynomials (in anything), else as always. *)
Ltac balance := solve [ ring | repeat match goal with H : _ |- _ => clear H end; lra | same ].

(** A variable whose range is a number. *)
Ltac put_number x c := assert (x = c) by lra; subst x.

(** Increasing functions. *)
Lemma increasing (F : R -> R) f v u : f = F v - F u -> (u < v -> F u < F v) -> 0 <= v - u -> 0 <= f.
Proof. intros -> H [K | K]; [apply Rlt_le | replace v with u by lra; lra]. specialize (H ltac:(lra)). lra. Qed.

Lemma increasing_strict (F : R -> R) f v u : f = F v - F u -> (u < v -> F u < F v) -> 0 < v - u -> 0 < f.
Proof. intros -> H K. specialize (H ltac:(lra)). lra. Qed.

Lemma power_rises u v n : 0 <= u -> u < v -> u ^ S n < v ^ S n.
Proof.
  intros Hu H. induction n as [| n IH]; [simpl; lra | ].
  assert (0 <= u ^ S n) by now apply pow_le. change (u * u ^ S n < v * v ^ S n). nra.
Qed.

Lemma odd_power_rises u v n : u < v -> u ^ S (n + n) < v ^ S (n + n).
Proof.
  intros H. destruct (Rle_or_lt 0 u) as [Hu | Hu]; [now apply power_rises | ].
  destruct (Rle_or_lt 0 v) as [Hv | Hv].
  - apply Rlt_le_trans with 0; [now apply odd_below | now apply pow_le].
  - assert (K : (- v) ^ S (n + n) < (- u) ^ S (n + n)) by (apply power_rises; lra).
    assert (E : forall w, (- w) ^ S (n + n) = - w ^ S (n + n)).
    { intros w. rewrite <- !tech_pow_Rmult. replace (- w) with (-1 * w) at 2 by ring.
      rewrite Rpow_mult_distr, pow_add. replace ((-1) ^ n * (-1) ^ n) with 1; [ring | ].
      rewrite <- Rpow_mult_distr. replace (-1 * -1) with 1 by ring. now rewrite pow1. }
    rewrite !E in K. lra.
Qed.

Lemma root_power_rises u v n : 0 <= u -> u < v -> u ^ n * sqrt u < v ^ n * sqrt v.
Proof.
  intros Hu H. assert (sqrt u < sqrt v) by (apply sqrt_lt_1_alt; lra). pose proof (sqrt_pos u).
  assert (u ^ n <= v ^ n) by (apply pow_incr; lra). assert (0 < v ^ n) by (apply pow_lt; lra).
  assert (0 <= u ^ n) by now apply pow_le. nra.
Qed.

Lemma tanh_rises u v : u < v -> tanh u < tanh v.
Proof.
  intros H. assert (E : forall w, tanh w = 1 - 2 / (exp w * exp w + 1)).
  { intros w. unfold tanh, sinh, cosh. rewrite exp_Ropp. pose proof (exp_pos w). field. nra. }
  rewrite !E. assert (exp u < exp v) by now apply exp_increasing. pose proof (exp_pos u).
  assert (/ (exp v * exp v + 1) < / (exp u * exp u + 1)) by (apply Rinv_lt_contravar; nra). lra.
Qed.

Ltac rises :=
  cbv beta; intros;
  lazymatch goal with
  | |- exp _ < exp _ => apply exp_increasing; assumption
  | |- ln _ < ln _ => apply ln_increasing; [ range | assumption ]
  | |- atan _ < atan _ => apply atan_increasing; assumption
  | |- sinh _ < sinh _ => apply sinh_lt; assumption
  | |- tanh _ < tanh _ => apply tanh_rises; assumption
  | |- sqrt _ < sqrt _ => apply sqrt_lt_1_alt; split; [ range | assumption ]
  | |- _ ^ ?n < _ ^ ?n =>
      first [ let h := eval compute in (Nat.div2 n) in
              let m := eval compute in (S (h + h)) in
              constr_eq m n; change n with (S (h + h)); apply odd_power_rises; assumption
            | apply power_rises; [ range | assumption ] ]
  | |- ?u ^ ?n * sqrt ?u < ?v ^ ?n * sqrt ?v => apply root_power_rises; [ range | assumption ]
  | |- ?u * sqrt ?u < ?v * sqrt ?v =>
      assert (u ^ 1 * sqrt u < v ^ 1 * sqrt v) by (apply root_power_rises; [ range | assumption ]); lra
  | |- Rpower _ _ < Rpower _ _ => apply Rlt_Rpower_l; [ lra | split; [ range | assumption ] ]
  | _ => assumption
  end.

(** What is known of a function. *)
Lemma known_exp f u : f = exp u - 1 - u -> 0 <= f.
Proof. intros ->. pose proof (exp_ineq1_le u). lra. Qed.

Lemma known_ln f u : f = u - 1 - ln u -> 0 < u -> 0 <= f.
Proof. intros -> H. pose proof (ln_tangent u H). lra. Qed.

Lemma known_size f u : f = Rabs u - u -> 0 <= f.
Proof. intros ->. pose proof (Rle_abs u). lra. Qed.

Lemma known_size_opposite f u : f = Rabs u + u -> 0 <= f.
Proof. intros ->. pose proof (Rle_abs (- u)). rewrite Rabs_Ropp in *. lra. Qed.

Lemma known_order f a b : f = b - a -> a <= b -> 0 <= f.
Proof. lra. Qed.

(** One of the arguments of a maximum or of a minimum. *)
Ltac among := first
  [ apply Rle_refl | apply Rmax_l | apply Rmin_l
  | apply Rle_trans with (2 := Rmax_r _ _); among | apply Rle_trans with (1 := Rmin_r _ _); among ].

(** Either sign of an expression. *)
Lemma either_sign g h : - g = h -> 0 <= g \/ 0 <= h.
Proof. lra. Qed.

(** * Along a variable *)

Lemma mean_value (f df : R -> R) a b :
  a < b -> (forall t, a < t < b -> is_derive f t (df t)) -> (forall t, a <= t <= b -> continuity_pt f t) ->
  exists c, a < c < b /\ f b - f a = df c * (b - a).
Proof.
  intros Hab Hd Hc.
  assert (pr1 : forall c, a < c < b -> derivable_pt f c).
  { intros c h. exists (df c). now apply is_derive_Reals, Hd. }
  assert (pr2 : forall c, a < c < b -> derivable_pt id c) by (intros; apply derivable_pt_id).
  destruct (MVT f id a b pr1 pr2 Hab Hc) as [c [P E]].
  { intros. apply derivable_continuous_pt, derivable_pt_id. }
  exists c. split; [easy | ].
  rewrite <- (derive_pt_eq_0 f c (df c) (pr1 c P)) by now apply is_derive_Reals, Hd.
  rewrite (derive_pt_eq_0 id c 1 (pr2 c P)) in E by apply derivable_pt_lim_id.
  unfold id in E. lra.
Qed.

Lemma smooth (f : R -> R) t l : is_derive f t l -> continuity_pt f t.
Proof.
  intros H. apply derivable_continuous_pt. exists l. now apply is_derive_Reals.
Qed.

(** [f] does not fall from the end to the point.  The end belongs to the range, or [f] extends to it. *)
Lemma from_lower (f df : R -> R) a x :
  a <= x -> (forall t, a < t < x -> is_derive f t (df t)) -> (forall t, a <= t <= x -> continuity_pt f t) ->
  0 <= f a -> (forall t, a < t < x -> 0 <= df t) -> 0 <= f x.
Proof.
  intros [Hx | <-] Hd Hc Ha Hs; [ | easy].
  destruct (mean_value f df a x Hx Hd Hc) as [c [Hc' E]]. assert (0 <= df c) by now apply Hs. nra.
Qed.

Lemma from_lower_strict (f df : R -> R) a x :
  a <= x -> (forall t, a < t < x -> is_derive f t (df t)) -> (forall t, a <= t <= x -> continuity_pt f t) ->
  0 < f a -> (forall t, a < t < x -> 0 <= df t) -> 0 < f x.
Proof.
  intros [Hx | <-] Hd Hc Ha Hs; [ | easy].
  destruct (mean_value f df a x Hx Hd Hc) as [c [Hc' E]]. assert (0 <= df c) by now apply Hs. nra.
Qed.

(** strict by its slope: the point is not the end *)
Lemma from_lower_rising (f df : R -> R) a x :
  a < x -> (forall t, a < t < x -> is_derive f t (df t)) -> (forall t, a <= t <= x -> continuity_pt f t) ->
  0 <= f a -> (forall t, a < t < x -> 0 < df t) -> 0 < f x.
Proof.
  intros Hx Hd Hc Ha Hs.
  destruct (mean_value f df a x Hx Hd Hc) as [c [Hc' E]]. assert (0 < df c) by now apply Hs. nra.
Qed.

Lemma from_upper (f df : R -> R) b x :
  x <= b -> (forall t, x < t < b -> is_derive f t (df t)) -> (forall t, x <= t <= b -> continuity_pt f t) ->
  0 <= f b -> (forall t, x < t < b -> 0 <= - df t) -> 0 <= f x.
Proof.
  intros [Hx | ->] Hd Hc Hb Hs; [ | easy].
  destruct (mean_value f df x b Hx Hd Hc) as [c [Hc' E]]. assert (0 <= - df c) by now apply Hs. nra.
Qed.

Lemma from_upper_strict (f df : R -> R) b x :
  x <= b -> (forall t, x < t < b -> is_derive f t (df t)) -> (forall t, x <= t <= b -> continuity_pt f t) ->
  0 < f b -> (forall t, x < t < b -> 0 <= - df t) -> 0 < f x.
Proof.
  intros [Hx | ->] Hd Hc Hb Hs; [ | easy].
  destruct (mean_value f df x b Hx Hd Hc) as [c [Hc' E]]. assert (0 <= - df c) by now apply Hs. nra.
Qed.

Lemma from_upper_rising (f df : R -> R) b x :
  x < b -> (forall t, x < t < b -> is_derive f t (df t)) -> (forall t, x <= t <= b -> continuity_pt f t) ->
  0 <= f b -> (forall t, x < t < b -> 0 < - df t) -> 0 < f x.
Proof.
  intros Hx Hd Hc Hb Hs.
  destruct (mean_value f df x b Hx Hd Hc) as [c [Hc' E]]. assert (0 < - df c) by now apply Hs. nra.
Qed.

(** Above the chord: the slope does not rise, so it cannot fall below 0 and come back. *)
Section Concave.
Variables (f df ddf : R -> R) (a b x : R).
Hypothesis Low : a <= x.
Hypothesis High : x <= b.
Hypothesis Slope : forall t, a < t < b -> is_derive f t (df t).
Hypothesis Curve : forall t, a < t < b -> is_derive df t (ddf t).
Hypothesis Whole : forall t, a <= t <= b -> continuity_pt f t.

Lemma two_slopes : a < x < b -> exists c d, a < c < d /\ d < b /\
  f x - f a = df c * (x - a) /\ f b - f x = df d * (b - x) /\
  exists m, c < m < d /\ df d - df c = ddf m * (d - c).
Proof.
  intros [Ha Hb].
  destruct (mean_value f df a x Ha) as [c [Hc E]];
    [intros; apply Slope; lra | intros; apply Whole; lra | ].
  destruct (mean_value f df x b Hb) as [d [Hd E']];
    [intros; apply Slope; lra | intros; apply Whole; lra | ].
  exists c, d. repeat split; try lra.
  apply (mean_value df ddf c d); [lra | intros; apply Curve; lra | ].
  intros t Ht. apply (smooth _ _ (ddf t)), Curve. lra.
Qed.

Lemma concave : 0 <= f a -> 0 <= f b -> (forall t, a < t < b -> 0 <= - ddf t) -> 0 <= f x.
Proof.
  intros Ha Hb C. destruct Low as [L | <-]; [ | easy]. destruct High as [H | ->]; [ | easy].
  destruct (two_slopes (conj L H)) as (c & d & Hc & Hd & E & E' & m & Hm & E'').
  assert (0 <= - ddf m) by (apply C; lra). assert (df d <= df c) by nra.
  apply Rnot_lt_le. intros N. assert (df c < 0) by nra. nra.
Qed.

Lemma concave_strict : 0 < f a -> 0 < f b -> (forall t, a < t < b -> 0 <= - ddf t) -> 0 < f x.
Proof.
  intros Ha Hb C. destruct Low as [L | <-]; [ | easy]. destruct High as [H | ->]; [ | easy].
  destruct (two_slopes (conj L H)) as (c & d & Hc & Hd & E & E' & m & Hm & E'').
  assert (0 <= - ddf m) by (apply C; lra). assert (df d <= df c) by nra.
  apply Rnot_le_lt. intros N. assert (df c < 0) by nra. nra.
Qed.

(** strict by its curve: an end that is not the point may touch 0 *)
Lemma concave_curved : (x = a -> 0 < f a) -> 0 <= f a -> (x = b -> 0 < f b) -> 0 <= f b ->
  (forall t, a < t < b -> 0 < - ddf t) -> 0 < f x.
Proof.
  intros Xa Ha Xb Hb C. destruct Low as [L | E]; [ | now rewrite <- E; apply Xa].
  destruct High as [H | E]; [ | now rewrite E; apply Xb].
  destruct (two_slopes (conj L H)) as (c & d & Hc & Hd & E & E' & m & Hm & E'').
  assert (0 < - ddf m) by (apply C; lra). assert (df d < df c) by nra.
  apply Rnot_le_lt. intros N. assert (df c <= 0) by nra. nra.
Qed.
End Concave.

(** Towards infinity: [f t] is a function of [/ t] that is continuous at 0 (or [t] times one that vanishes at
    0 and has a derivative there), and [f] falls. *)
Lemma falling (f df : R -> R) x y :
  x <= y -> (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x < t -> 0 <= - df t) -> f y <= f x.
Proof.
  intros [Hxy | <-] Hd Hs; [ | lra].
  destruct (mean_value f df x y Hxy) as [c [Hc E]].
  - intros; apply Hd; lra.
  - intros t Ht. eapply smooth, Hd. lra.
  - specialize (Hs c ltac:(lra)). nra.
Qed.

Lemma above_limit (f g : R -> R) x :
  (forall t, x <= t /\ 0 < t -> f t = g (/ t)) -> continuity_pt g 0 -> (forall t, x <= t -> f t <= f x) -> g 0 <= f x.
Proof.
  intros E Hg Hf. apply Rnot_lt_le. intros H.
  destruct (Hg ((g 0 - f x) / 2)) as [d [Hd Near]]; [lra | ].
  set (t := Rmax x (2 / d)).
  assert (Ht : x <= t) by apply Rmax_l.
  assert (Hd2 : 2 / d <= t) by apply Rmax_r.
  assert (Ht0 : 0 < t) by (apply Rlt_le_trans with (2 / d); [apply Rdiv_lt_0_compat; lra | easy]).
  assert (Hi : 0 < / t) by now apply Rinv_0_lt_compat.
  assert (Close : / t < d).
  { assert (0 < 2 / d) by (apply Rdiv_lt_0_compat; lra).
    apply Rle_lt_trans with (/ (2 / d)); [apply Rinv_le_contravar; lra | ].
    replace (/ (2 / d)) with (d / 2) by (field; lra). lra. }
  specialize (Near (/ t)). unfold dist, R_met, R_dist in Near. simpl in Near. unfold R_dist in Near.
  assert (N : Rabs (g (/ t) - g 0) < (g 0 - f x) / 2).
  { apply Near. split.
    - split; [exact I | lra].
    - rewrite Rminus_0_r, Rabs_pos_eq; lra. }
  apply Rabs_def2 in N. rewrite <- (E t (conj Ht Ht0)) in N. specialize (Hf t Ht). lra.
Qed.

Lemma from_infinity (f df g : R -> R) x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = g (/ t)) -> continuity_pt g 0 ->
  0 <= g 0 -> (forall t, x < t -> 0 <= - df t) -> 0 <= f x.
Proof.
  intros Hd E Hg H0 Hs. apply Rle_trans with (g 0); [easy | ].
  apply above_limit; try easy. intros. now apply (falling f df).
Qed.

Lemma from_infinity_strict (f df g : R -> R) x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = g (/ t)) -> continuity_pt g 0 ->
  0 < g 0 -> (forall t, x < t -> 0 <= - df t) -> 0 < f x.
Proof.
  intros Hd E Hg H0 Hs. apply Rlt_le_trans with (g 0); [easy | ].
  apply above_limit; try easy. intros. now apply (falling f df).
Qed.

Lemma from_infinity_rising (f df g : R -> R) x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = g (/ t)) -> continuity_pt g 0 ->
  0 <= g 0 -> (forall t, x < t -> 0 < - df t) -> 0 < f x.
Proof.
  intros Hd E Hg H0 Hs.
  assert (0 <= f (x + 1)).
  { apply (from_infinity f df g); try lra.
    - intros; apply Hd; lra.
    - intros; apply E; lra.
    - easy.
    - intros; apply Rlt_le, Hs; lra. }
  destruct (mean_value f df x (x + 1)) as [c [Hc Ec]]; [lra | | | ].
  - intros; apply Hd; lra.
  - intros t Ht. eapply smooth, Hd. lra.
  - specialize (Hs c ltac:(lra)). lra.
Qed.

Definition slope_at_0 (n : R -> R) (v u : R) : R := if Req_EM_T u 0 then v else n u / u.

Lemma slope_continuous n v : n 0 = 0 -> is_derive n 0 v -> continuity_pt (slope_at_0 n v) 0.
Proof.
  intros H0 Hd. apply is_derive_Reals in Hd. intros e He.
  destruct (Hd e He) as [d D]. exists d. split; [apply cond_pos | ].
  intros u [[_ Hu] Near]. simpl in *. unfold R_dist in *. rewrite Rminus_0_r in Near.
  unfold slope_at_0. destruct (Req_EM_T u 0) as [-> | Nu]; [lra | ].
  destruct (Req_EM_T 0 0) as [_ | F]; [ | lra].
  specialize (D u Nu Near). rewrite Rplus_0_l, H0, Rminus_0_r in D. exact D.
Qed.

Lemma slope_there n v t : 0 < t -> t * n (/ t) = slope_at_0 n v (/ t).
Proof.
  intros H. unfold slope_at_0. pose proof (Rinv_0_lt_compat t H).
  destruct (Req_EM_T (/ t) 0); [lra | ]. field. lra.
Qed.

Lemma slope_here n v : slope_at_0 n v 0 = v.
Proof. unfold slope_at_0. destruct (Req_EM_T 0 0); lra. Qed.

Lemma from_infinity_slope (f df n : R -> R) v x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = t * n (/ t)) -> n 0 = 0 ->
  is_derive n 0 v -> 0 <= v -> (forall t, x < t -> 0 <= - df t) -> 0 <= f x.
Proof.
  intros Hd E H0 Hn Hv Hs. apply (from_infinity f df (slope_at_0 n v)); try easy.
  - intros t Ht. rewrite (E t Ht). apply slope_there. lra.
  - now apply slope_continuous.
  - now rewrite slope_here.
Qed.

Lemma from_infinity_slope_strict (f df n : R -> R) v x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = t * n (/ t)) -> n 0 = 0 ->
  is_derive n 0 v -> 0 < v -> (forall t, x < t -> 0 <= - df t) -> 0 < f x.
Proof.
  intros Hd E H0 Hn Hv Hs. apply (from_infinity_strict f df (slope_at_0 n v)); try easy.
  - intros t Ht. rewrite (E t Ht). apply slope_there. lra.
  - now apply slope_continuous.
  - now rewrite slope_here.
Qed.

Lemma from_infinity_slope_rising (f df n : R -> R) v x :
  (forall t, x <= t -> is_derive f t (df t)) -> (forall t, x <= t /\ 0 < t -> f t = t * n (/ t)) -> n 0 = 0 ->
  is_derive n 0 v -> 0 <= v -> (forall t, x < t -> 0 < - df t) -> 0 < f x.
Proof.
  intros Hd E H0 Hn Hv Hs. apply (from_infinity_rising f df (slope_at_0 n v)); try easy.
  - intros t Ht. rewrite (E t Ht). apply slope_there. lra.
  - now apply slope_continuous.
  - now rewrite slope_here.
Qed.

(** A polynomial along a line, other than 0 at 1, is other than 0 somewhere next to 0: what holds where it is not
    0 passes to the limit. *)
Lemma horner_continuous cs t : continuity_pt (horner cs) t.
Proof.
  induction cs as [| c cs IH]; simpl.
  - apply continuity_pt_const. now intros ? ?.
  - apply (continuity_pt_plus (fun _ => c)); [apply continuity_pt_const; now intros ? ? | ].
    apply (continuity_pt_mult (fun x => x)); [apply derivable_continuous_pt, derivable_pt_id | exact IH].
Qed.

Lemma near (F : R -> R) : continuity_pt F 0 -> F 0 < 0 -> exists d, 0 < d /\ forall t, 0 < t < d -> F t < 0.
Proof.
  intros Hc H. destruct (Hc (- F 0)) as [d [Hd Near]]; [lra | ]. exists d. split; [easy | ]. intros t Ht.
  specialize (Near t). unfold dist, R_met, R_dist, D_x, no_cond in Near. simpl in Near. unfold R_dist in Near.
  assert (N : Rabs (F t - F 0) < - F 0).
  { apply Near. split; [split; [exact I | lra] | rewrite Rminus_0_r, Rabs_pos_eq; lra]. }
  apply Rabs_def2 in N. lra.
Qed.

Lemma horner_near cs : horner cs 1 <> 0 -> forall d, 0 < d -> exists t, 0 < t < d /\ t <= 1 /\ horner cs t <> 0.
Proof.
  induction cs as [| c cs IH]; intros H d Hd; [easy | ].
  destruct (Req_dec c 0) as [-> | Hc].
  - destruct (IH ltac:(simpl in H; intros E; apply H; rewrite E; ring) d Hd) as [t [Ht [Ht1 N]]].
    exists t. split; [easy | split; [easy | ]]. simpl. intros E. apply N.
    apply Rmult_eq_reg_l with t; lra.
  - destruct (near (fun t => - (c * horner (c :: cs) t))) as [e [He Near]].
    + apply (continuity_pt_opp (fun t => c * horner (c :: cs) t)).
      apply (continuity_pt_mult (fun _ => c)); [apply continuity_pt_const; now intros ? ? | apply horner_continuous].
    + simpl. nra.
    + assert (0 < Rmin 1 (Rmin d e)) by (repeat apply Rmin_glb_lt; lra).
      pose proof (Rmin_l 1 (Rmin d e)). pose proof (Rmin_r 1 (Rmin d e)).
      pose proof (Rmin_l d e). pose proof (Rmin_r d e).
      exists (Rmin 1 (Rmin d e) / 2). split; [lra | split; [lra | ]].
      intros E. specialize (Near (Rmin 1 (Rmin d e) / 2) ltac:(lra)). cbv beta in Near. rewrite E in Near. lra.
Qed.

Lemma almost_everywhere (F : R -> R) cs f :
  F 0 = f -> continuity_pt F 0 -> horner cs 1 <> 0 -> (forall t, 0 < t <= 1 -> horner cs t <> 0 -> 0 <= F t) -> 0 <= f.
Proof.
  intros <- Hc H HF. apply Rnot_lt_le. intros K. destruct (near F Hc K) as [d [Hd Near]].
  destruct (horner_near cs H d Hd) as [t [Ht [Ht1 N]]].
  specialize (HF t ltac:(lra) N). specialize (Near t Ht). lra.
Qed.

(** Contact: [f] and its derivatives vanish at [a], and the last of the chain has a sign.  Each step is the
    mean value theorem once more; left of [a] the signs alternate. *)

Definition between a x t := Rmin a x <= t <= Rmax a x.

Fixpoint chained (fs : list (R -> R)) (a x : R) : Prop :=
  match fs with
  | f :: (g :: _) as rest => (forall t, between a x t -> is_derive f t (g t)) /\ chained rest a x
  | _ => True
  end.

Fixpoint vanish (fs : list (R -> R)) (a : R) : Prop :=
  match fs with
  | f :: (_ :: _) as rest => f a = 0 /\ vanish rest a
  | _ => True
  end.

Fixpoint final (fs : list (R -> R)) : R -> R :=
  match fs with
  | nil => fun _ => 0
  | f :: nil => f
  | _ :: rest => final rest
  end.

Definition first_of (fs : list (R -> R)) : R -> R := match fs with f :: _ => f | nil => fun _ => 0 end.

Lemma between_sub a x t s : between a x t -> between a t s -> between a x s.
Proof. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra. Qed.

Lemma chained_sub fs a x t : between a x t -> chained fs a x -> chained fs a t.
Proof.
  intros Ht. induction fs as [| f [| g rest] IH]; try easy.
  intros [H1 H2]. split; [ | now apply IH].
  intros s Hs. apply H1. now apply between_sub with t.
Qed.

Lemma contact_right fs a x :
  a <= x -> chained fs a x -> vanish fs a -> (forall t, between a x t -> 0 <= final fs t) -> 0 <= first_of fs x.
Proof.
  revert x. induction fs as [| f [| g rest] IH]; intros x Hx Hd Hv Hs.
  - simpl. lra.
  - apply Hs. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra.
  - destruct Hd as [Hd Hd']. destruct Hv as [Hv Hv']. simpl first_of.
    assert (In : forall t, a <= t <= x -> between a x t).
    { intros. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra. }
    apply (from_lower f g a x); try lra.
    + intros t Ht. apply Hd, In. lra.
    + intros t Ht. eapply smooth, Hd, In. lra.
    + intros t Ht. apply (IH t); [lra | now apply chained_sub with x; [apply In; lra | ] | easy | ].
      intros s Hs'. apply Hs. apply between_sub with t; [apply In; lra | easy].
Qed.

(** strict: the contact is an open end, and the last of the chain is positive beyond it *)
Lemma contact_right_strict fs a x :
  a < x -> chained fs a x -> vanish fs a -> (forall t, a < t <= x -> 0 < final fs t) -> fs <> nil -> 0 < first_of fs x.
Proof.
  revert x. induction fs as [| f [| g rest] IH]; intros x Hx Hd Hv Hs Hn.
  - easy.
  - apply Hs. lra.
  - destruct Hd as [Hd Hd']. destruct Hv as [Hv Hv']. simpl first_of.
    assert (In : forall t, a <= t <= x -> between a x t).
    { intros. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra. }
    destruct (mean_value f g a x Hx) as [c [Hc E]].
    + intros t Ht. apply Hd, In. lra.
    + intros t Ht. eapply smooth, Hd, In. lra.
    + assert (0 < g c); [ | rewrite Hv in E; nra].
      apply (IH c); [lra | | easy | | easy].
      * now apply chained_sub with x; [apply In; lra | ].
      * intros t Ht. apply Hs. lra.
Qed.

Fixpoint sign_of (fs : list (R -> R)) : R :=
  match fs with
  | _ :: (_ :: _) as rest => - sign_of rest
  | _ => 1
  end.

Lemma contact_before fs a x :
  x <= a -> chained fs a x -> vanish fs a -> (forall t, between a x t -> 0 <= sign_of fs * final fs t) ->
  0 <= first_of fs x.
Proof.
  intros Hx Hd Hv Hs.
  assert (Goal : forall s, s * s = 1 -> forall x, x <= a -> chained fs a x -> vanish fs a ->
    (forall t, between a x t -> 0 <= s * (sign_of fs * final fs t)) -> 0 <= s * first_of fs x).
  { clear x Hx Hd Hv Hs. induction fs as [| f [| g rest] IH]; intros s Hs1 x Hx Hd Hv Hs.
    - simpl. lra.
    - simpl in *. rewrite <- (Rmult_1_l (f x)). apply Hs. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra.
    - destruct Hd as [Hd Hd']. destruct Hv as [Hv Hv']. simpl first_of.
      assert (In : forall t, x <= t <= a -> between a x t).
      { intros. unfold between, Rmin, Rmax. repeat destruct Rle_dec; lra. }
      destruct Hx as [Hx | ->]; [ | rewrite Hv; lra].
      destruct (mean_value f g x a Hx) as [c [Hc E]].
      + intros t Ht. apply Hd, In. lra.
      + intros t Ht. eapply smooth, Hd, In. lra.
      + assert (0 <= - s * g c).
        { apply (IH (- s)) with (x := c); [lra | lra | | easy | ].
          - apply chained_sub with x; [apply In; lra | easy].
          - intros t Ht. assert (between a x t) as Ht' by (apply between_sub with c; [apply In; lra | easy]).
            specialize (Hs t Ht'). simpl sign_of in *. simpl final in *. lra. }
        rewrite Hv in E. nra. }
  rewrite <- (Rmult_1_l (first_of fs x)). apply Goal; try easy; [lra | ].
  intros t Ht. rewrite Rmult_1_l. now apply Hs.
Qed.

Lemma contact_left fs a x :
  x <= a -> sign_of fs = -1 -> chained fs a x -> vanish fs a -> (forall t, between a x t -> 0 <= - final fs t) ->
  0 <= first_of fs x.
Proof.
  intros Hx E Hd Hv Hs. apply contact_before with a; try easy.
  intros t Ht. rewrite E. specialize (Hs t Ht). lra.
Qed.

Lemma contact fs a x :
  sign_of fs = 1 -> chained fs a x -> vanish fs a -> (forall t, between a x t -> 0 <= final fs t) -> 0 <= first_of fs x.
Proof.
  intros E Hd Hv Hs. destruct (Rle_or_lt a x) as [H | H].
  - now apply contact_right with a.
  - apply contact_before with a; try easy; [lra | ].
    intros t Ht. rewrite E, Rmult_1_l. now apply Hs.
Qed.

(** [t] is on the way from [x] to an end or a contact: what is linear in [x] holds at [t] as well.  After it
    [t] has the name of [x]. *)
Ltac linear_way H :=
  first [ lra | unfold between, Rmin, Rmax in H; revert H; destruct Rle_dec; intros H; lra ].

Ltac follow x :=
  let t := fresh "t" in let H := fresh "Way" in
  intros t H; cbv beta; on_way_named H x t
with on_way_named H x t :=
  keep_way H x t; clear dependent x; rename t into x
with keep_way H x t :=
  repeat match goal with
  | K : ?T |- _ =>
      lazymatch T with context [x] => idtac end;
      lazymatch type of T with Prop => idtac end;
      lazymatch K with H => fail | _ => idtac end;
      let P := eval pattern x in T in
      lazymatch P with
      | ?Q x =>
          let K' := fresh K in
          first [ (lazymatch T with
                   | x <= ?c => first [ assert (K' : t < c) by linear_way H | assert (K' : t <= c) by linear_way H ]
                   | ?c <= x => first [ assert (K' : c < t) by linear_way H | assert (K' : c <= t) by linear_way H ]
                   | x < ?c => first [ assert (K' : t < c) by linear_way H | assert (K' : t <= c) by linear_way H ]
                   | ?c < x => first [ assert (K' : c < t) by linear_way H | assert (K' : c <= t) by linear_way H ]
                   | _ => assert (K' : Q t) by (cbv beta; linear_way H); cbv beta in K'
                   end); clear K; rename K' into K
                | clear K ]
      end
  end;
  let b := fresh "Way" in
  lazymatch type of H with
  | _ /\ _ => destruct H as [H b]
  | _ => idtac
  end.

(** * Derivatives and continuity *)

Ltac derive :=
  unfold Rpower; auto_derive; [ nonzero | nats; same ].

Ltac continuous :=
  solve [ eapply smooth; derive' | continuity_by_parts ]
with derive' := unfold Rpower; auto_derive; [ nonzero | reflexivity ]
with continuity_by_parts :=
  lazymatch goal with
  | |- continuity_pt (fun _ => ?c) _ => apply continuity_pt_const; intros ? ?; reflexivity
  | |- continuity_pt (fun x => x) _ => apply derivable_continuous_pt, derivable_pt_id
  | |- continuity_pt (fun x => @?f x + @?g x) _ => apply (continuity_pt_plus f g); continuous
  | |- continuity_pt (fun x => @?f x - @?g x) _ => apply (continuity_pt_minus f g); continuous
  | |- continuity_pt (fun x => @?f x * @?g x) _ => apply (continuity_pt_mult f g); continuous
  | |- continuity_pt (fun x => @?f x / @?g x) _ => apply (continuity_pt_div f g); [continuous | continuous | signs]
  | |- continuity_pt (fun x => - @?f x) _ => apply (continuity_pt_opp f); continuous
  | |- continuity_pt (fun x => / @?f x) _ => apply (continuity_pt_inv f); [continuous | signs]
  | |- continuity_pt (fun x => sqrt (@?f x)) _ =>
      apply (continuity_pt_comp f sqrt); [continuous | apply continuity_pt_sqrt; nonneg]
  | |- continuity_pt (fun x => @?f x ^ ?n) _ => apply (continuity_pt_comp f (fun y => y ^ n));
      [continuous | apply derivable_continuous_pt, derivable_pt_pow]
  | |- continuity_pt (fun x => ln (@?f x)) _ =>
      apply (continuity_pt_comp f ln); [continuous | apply derivable_continuous_pt; eexists; apply derivable_pt_lim_ln; pos]
  | |- continuity_pt (fun x => exp (@?f x)) _ =>
      apply (continuity_pt_comp f exp); [continuous | apply derivable_continuous_pt, derivable_pt_exp]
  end.

(** What is not negative on a way has no negative limit: a removable singularity. *)
Lemma limit_not_negative {T : Type} (Way : (T -> Prop) -> Prop) (f : T -> R) (l : Rbar) :
  ProperFilter Way -> Way (fun p => 0 <= f p) -> filterlim f Way (Rbar_locally l) -> Rbar_le 0 l.
Proof.
  intros Proper H L.
  exact (filterlim_le (fun _ => 0) f 0 l H (filterlim_const 0) L).
Qed.

(** A form a u² + 2 b u v + c v². *)
Lemma form_nonneg a b c u v : 0 <= a -> 0 <= c -> b ^ 2 <= a * c -> 0 <= a * u ^ 2 + 2 * b * u * v + c * v ^ 2.
Proof.
  intros [A | <-] C D.
  - apply Rmult_le_reg_l with a; [easy | ]. rewrite Rmult_0_r.
    replace (a * (a * u ^ 2 + 2 * b * u * v + c * v ^ 2)) with ((a * u + b * v) ^ 2 + (a * c - b ^ 2) * v ^ 2) by ring.
    assert (H := pow2_ge_0 (a * u + b * v)). assert (K := pow2_ge_0 v). nra.
  - assert (b = 0) by nra. subst b. assert (K := pow2_ge_0 v). nra.
Qed.

(** 0 at 0 with its slope, and convex from there on. *)
Lemma convex_contact (phi dphi ddphi : R -> R) :
  (forall t, 0 <= t <= 1 -> is_derive phi t (dphi t)) -> (forall t, 0 <= t <= 1 -> is_derive dphi t (ddphi t)) ->
  phi 0 = 0 -> dphi 0 = 0 -> (forall t, 0 <= t <= 1 -> 0 <= ddphi t) -> 0 <= phi 1.
Proof.
  intros D DD Z ZZ C.
  assert (Rising : forall t, 0 <= t <= 1 -> 0 <= dphi t).
  { intros t Ht. apply (from_lower dphi ddphi 0 t); [lra | | | rewrite ZZ; lra | ]; intros s Hs.
    - apply DD; lra.
    - apply (smooth _ _ (ddphi s)), DD; lra.
    - apply C; lra. }
  apply (from_lower phi dphi 0 1); [lra | | | rewrite Z; lra | ]; intros s Hs.
  - apply D; lra.
  - apply (smooth _ _ (dphi s)), D; lra.
  - apply Rising; lra.
Qed.

(** A point on the way from c to x is between ends that both are between. *)
Lemma on_the_way_low lo c x t : 0 <= t <= 1 -> lo <= c -> lo <= x -> lo <= c + t * (x - c).
Proof. intros. replace (c + t * (x - c)) with ((1 - t) * c + t * x) by ring. nra. Qed.

Lemma on_the_way_high hi c x t : 0 <= t <= 1 -> c <= hi -> x <= hi -> c + t * (x - c) <= hi.
Proof. intros. replace (c + t * (x - c)) with ((1 - t) * c + t * x) by ring. nra. Qed.

(** An end of the range at which a step is not defined: there the goal is looked at by itself. *)
Ltac apart x e :=
  let N := fresh "N" in
  destruct (Req_dec x e) as [-> | N];
  [ at_the_end
  | first [ assert (e < x) by (apply Rnot_le_lt; intro; apply N; lra)
          | assert (x < e) by (apply Rnot_le_lt; intro; apply N; lra) | idtac ] ]
with at_the_end :=
  cbv beta;
  solve [ exfalso; lra | exfalso; match goal with D : _ <> 0 |- _ => apply D; same end
        | range | tidy; range | kinks; range ].

(** [/ x] is in the reciprocal range. *)
Ltac reciprocal_end :=
  lazymatch goal with
  | |- _ < / ?x => first [ range | apply Rlt_le_trans with (2 := Rle_refl (/ x)); inverted ]
  | |- _ => inverted
  end
with inverted :=
  first [ range
        | lazymatch goal with
          | |- ?c <= / ?x => replace c with (/ / c) by (field; lra); apply Rinv_le_contravar; lra
          | |- / ?x <= ?c => replace c with (/ / c) by (field; lra); apply Rinv_le_contravar; lra
          | |- ?c < / ?x => replace c with (/ / c) by (field; lra); apply Rinv_lt_contravar; nra
          | |- / ?x < ?c => replace c with (/ / c) by (field; lra); apply Rinv_lt_contravar; nra
          end ].

(** * Statements *)

(** An integer of a statement becomes a real number that is whole. *)
Definition whole (x : R) := exists n : Z, x = IZR n.

Ltac whole_number n :=
  let H := fresh "W" in
  assert (H : whole (IZR n)) by (exists n; reflexivity);
  revert H; generalize (IZR n); clear n; intros n H.

Lemma next_whole x n : whole x -> IZR n <= x -> x = IZR n \/ IZR (n + 1) <= x.
Proof.
  intros [m ->] H. apply le_IZR in H.
  destruct (Z.eq_dec m n) as [-> | E]; [now left | right; apply IZR_le; lia].
Qed.

Lemma first_whole x n : whole x -> IZR (n - 1) < x -> IZR n <= x.
Proof. intros [m ->] H. apply lt_IZR in H. apply IZR_le. lia. Qed.

Ltac start_at x n :=
  let H := fresh "From" in
  assert (H : IZR n <= x) by first [ lra | apply first_whole; [assumption | simpl Z.sub; lra] ].

Ltac next_value x n :=
  let H := fresh "From" in
  destruct (next_whole x n) as [H | H]; [ assumption | lra | | simpl Z.add in H ].

Ltac put_in x := subst x.

(** A sine or a cosine at a known angle. *)
Ltac at_angle :=
  lazymatch goal with
  | |- sin ?u = _ => first
      [ replace u with 0 by smooth_same; rewrite sin_0; lra | replace u with (PI / 2) by smooth_same; rewrite sin_PI2; lra
      | replace u with PI by smooth_same; rewrite sin_PI; lra | replace u with (PI / 6) by smooth_same; rewrite sin_PI6; lra ]
  | |- cos ?u = _ => first
      [ replace u with 0 by smooth_same; rewrite cos_0; lra | replace u with (PI / 2) by smooth_same; rewrite cos_PI2; lra
      | replace u with PI by smooth_same; rewrite cos_PI; lra | replace u with (PI / 3) by smooth_same; rewrite cos_PI3; lra ]
  end.

(** A part of a statement, or of a function at an end, as the proof writes it. *)
Ltac part_same := first
  [ same | at_angle
  | lazymatch goal with |- ln ?u = 0 => replace u with 1 by same; apply ln_1 end
  | lazymatch goal with |- exp ?u = 1 => replace u with 0 by same; apply exp_0 end
  | lazymatch goal with |- sqrt _ = _ => apply sqrt_lem_1; [ signs | signs | same ] end
  | rewrite <- ln_div by pos; f_equal; field; nonzero
  | apply exp_inv; exps; roots; nats; by_field
  | apply ln_inv; [ pos | pos | unfold Rpower; logs; numbers; nats; first [ ring | field; nonzero ] ] ].

Ltac folds a b := try replace a with b in * by (symmetry; part_same).

Ltac defined := repeat split; solve [ signs | range ].

(** A quadratic polynomial without a root, from its values at -1, 0 and 1. *)
Lemma quadratic f x :
  let a := (f 1 + f (-1)) / 2 - f 0 in let b := (f 1 - f (-1)) / 2 in
  (forall y, f y = a * y ^ 2 + b * y + f 0) -> 0 < a -> b ^ 2 < 4 * a * f 0 -> 0 < f x.
Proof.
  intros a b E A D. apply Rmult_lt_reg_l with (4 * a); [lra |]. rewrite (E x).
  replace (4 * a * (a * x ^ 2 + b * x + f 0)) with ((2 * a * x + b) ^ 2 + (4 * a * f 0 - b ^ 2)) by ring.
  assert (H := pow2_ge_0 (2 * a * x + b)). lra.
Qed.

Ltac no_root := try apply Rlt_le; match goal with x : R |- 0 < ?f =>
  match eval pattern x in f with ?g _ =>
    apply (quadratic g x); cbv beta; [ intros; field | lra | lra ] end end.

(** A polynomial in one variable. *)
Ltac polynomial := solve [ lra | nra | range | no_root ].

Ltac touching x :=
  repeat lazymatch goal with |- _ /\ _ => split; [ follow x; derive | ] end; exact I.

Ltac vanishing :=
  repeat lazymatch goal with |- _ /\ _ => split; [ same | ] end; exact I.
