(** The language of derivations over Coq's real numbers, and a lemma for each of its rules.

    Every term has a value, and it is the one that the language gives it: in Coq, too, [/ 0], [ln x] for
    x <= 0 and [sqrt x] for x < 0 are 0 (the first four lemmas).  A finite sort is a type with a list of its
    elements, each once; [Ind A] is decided by the classical logic of the real numbers. *)

From Coq Require Import Reals Lra Lia ZArith List Classical.
From Coq Require ClassicalDedekindReals.
Import ListNotations.
Open Scope R_scope.

Lemma inverse_of_zero : / 0 = 0.
Proof. exact Rinv_0. Qed.

Lemma ln_of_nothing x : x <= 0 -> ln x = 0.
Proof. intros H. unfold ln. destruct (Rlt_dec 0 x); [exfalso; lra | reflexivity]. Qed.

Lemma sqrt_of_less x : x < 0 -> sqrt x = 0.
Proof. intros H. unfold sqrt. destruct (Rcase_abs x); [reflexivity | exfalso; lra]. Qed.

(* ---------------------------------------------------------------- the language *)

Record Finite := {
  element :> Type;
  every : list element;
  complete : forall y, In y every;
  once : NoDup every;
  someone : element }.

Definition decided (A : Prop) : {A} + {~ A}.
Proof. destruct (ClassicalDedekindReals.sig_not_dec A) as [H | H]; [left; apply NNPP; exact H | right; exact H]. Defined.

Definition Ind (A : Prop) : nat := if decided A then 1 else 0.

Fixpoint Sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => Sum m f + f m end.

Definition SumOver (F : Finite) (f : F -> R) : R := fold_right (fun y s => f y + s) 0 (every F).

Definition MaxOver (F : Finite) (f : F -> R) : R := fold_right (fun y m => Rmax (f y) m) (f (someone F)) (every F).

(* The same sums of natural numbers, as natural numbers. *)
Fixpoint SumN (n : nat) (f : nat -> nat) : nat := match n with O => 0 | S m => SumN m f + f m end.

Definition SumOverN (F : Finite) (f : F -> nat) : nat := fold_right (fun y s => f y + s)%nat 0%nat (every F).

(* The reciprocal under a name, so that [ring] and [field] leave it alone. *)
Definition inv (x : R) : R := / x.

(* ---------------------------------------------------------------- indicators *)

Lemma ind_true (A : Prop) : A -> INR (Ind A) = 1.
Proof. intros H. unfold Ind. destruct (decided A); [reflexivity | contradiction]. Qed.

Lemma ind_false (A : Prop) : ~ A -> INR (Ind A) = 0.
Proof. intros H. unfold Ind. destruct (decided A); [contradiction | reflexivity]. Qed.

Lemma ind_values A : INR (Ind A) = 0 \/ INR (Ind A) = 1.
Proof. unfold Ind. destruct (decided A); [right | left]; reflexivity. Qed.

Lemma ind_square A : INR (Ind A) * INR (Ind A) = INR (Ind A).
Proof. destruct (ind_values A) as [-> | ->]; ring. Qed.

Lemma ind_same A B : (A <-> B) -> INR (Ind A) = INR (Ind B).
Proof.
  intros H. destruct (classic A).
  - rewrite !ind_true; tauto.
  - rewrite !ind_false; tauto.
Qed.

Lemma ind_same_nat A B : (A <-> B) -> Ind A = Ind B.
Proof. intros H. apply INR_eq. apply ind_same. exact H. Qed.

Lemma ind_and A B a b : INR (Ind A) = a -> INR (Ind B) = b -> INR (Ind (A /\ B)) = a * b.
Proof.
  intros <- <-. destruct (classic A), (classic B); rewrite ?(ind_true A), ?(ind_true B), ?(ind_false A), ?(ind_false B)
    by assumption; (rewrite ind_true by tauto; ring) || (rewrite ind_false by tauto; ring).
Qed.

Lemma ind_or A B a b : INR (Ind A) = a -> INR (Ind B) = b -> INR (Ind (A \/ B)) = a + b + (-1) * (a * b).
Proof.
  intros <- <-. destruct (classic A), (classic B); rewrite ?(ind_true A), ?(ind_true B), ?(ind_false A), ?(ind_false B)
    by assumption; (rewrite ind_true by tauto; ring) || (rewrite ind_false by tauto; ring).
Qed.

Lemma ind_imp (A B : Prop) a b : INR (Ind A) = a -> INR (Ind B) = b -> INR (Ind (A -> B)) = 1 + (-1) * a + a * b.
Proof.
  intros <- <-. destruct (classic A), (classic B); rewrite ?(ind_true A), ?(ind_true B), ?(ind_false A), ?(ind_false B)
    by assumption; (rewrite ind_true by tauto; ring) || (rewrite ind_false by tauto; ring).
Qed.

Lemma ind_not A a : INR (Ind A) = a -> INR (Ind (~ A)) = 1 + (-1) * a.
Proof.
  intros <-. destruct (classic A).
  - rewrite (ind_true A), ind_false by tauto. ring.
  - rewrite (ind_false A), ind_true by tauto. ring.
Qed.

Lemma ind_less u v b : INR (Ind (v <= u)) = b -> INR (Ind (u < v)) = 1 + (-1) * b.
Proof.
  intros <-. rewrite <- (ind_not (v <= u) _ eq_refl). apply ind_same. split; [apply Rlt_not_le | apply Rnot_le_lt].
Qed.

Lemma gap_le u v a b c g : u = a -> v = b -> b + (-1) * a = c * g -> 0 < c -> (u <= v <-> 0 <= g).
Proof.
  intros -> -> E C. split; intros H.
  - apply Rmult_le_reg_l with c; [exact C |]. lra.
  - assert (0 <= c * g) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma gap_eq u v a b c g : u = a -> v = b -> b + (-1) * a = c * g -> c <> 0 -> (u = v <-> 0 = g).
Proof.
  intros -> -> E C. split; intros H.
  - symmetry. apply Rmult_eq_reg_l with c; [lra | exact C].
  - rewrite <- H in E. lra.
Qed.

Lemma gap_le_true u v a b g : u = a -> v = b -> b + (-1) * a = g -> 0 <= g -> u <= v.
Proof. intros -> ->. lra. Qed.

Lemma gap_le_false u v a b g : u = a -> v = b -> b + (-1) * a = g -> g < 0 -> ~ u <= v.
Proof. intros -> ->. lra. Qed.

Lemma gap_eq_true u v a b g : u = a -> v = b -> b + (-1) * a = g -> g = 0 -> u = v.
Proof. intros -> ->. lra. Qed.

Lemma gap_eq_false u v a b g : u = a -> v = b -> b + (-1) * a = g -> g <> 0 -> u <> v.
Proof. intros -> -> E N H. apply N. lra. Qed.

(* ---------------------------------------------------------------- finite sums and maxima *)

Lemma Sum_same n f g : (forall i, (i < n)%nat -> f i = g i) -> Sum n f = Sum n g.
Proof.
  intros H. induction n; [reflexivity |]. simpl. rewrite IHn, H; [reflexivity | lia |].
  intros. apply H. lia.
Qed.

Lemma Sum_both m n f g : m = n -> (forall i, (i < n)%nat -> f i = g i) -> Sum m f = Sum n g.
Proof. intros ->. apply Sum_same. Qed.

Lemma Sum_zero n : Sum n (fun _ => 0) = 0.
Proof. induction n; simpl; [reflexivity | rewrite IHn; ring]. Qed.

Lemma Sum_at_most n f g : (forall i, (i < n)%nat -> f i <= g i) -> Sum n f <= Sum n g.
Proof.
  intros H. induction n; [apply Rle_refl |]. simpl. apply Rplus_le_compat; [apply IHn |]; intros; apply H; lia.
Qed.

Lemma Sum_plus n f g a b : Sum n f = a -> Sum n g = b -> Sum n (fun i => f i + g i) = a + b.
Proof. intros <- <-. induction n; simpl; [ring | rewrite IHn; ring]. Qed.

Lemma Sum_times n k f : Sum n (fun i => k * f i) = k * Sum n f.
Proof. induction n; simpl; [ring | rewrite IHn; ring]. Qed.

Lemma Sum_constant n k : Sum n (fun _ => k) = k * INR n.
Proof. induction n; [simpl; ring |]. rewrite S_INR. simpl. rewrite IHn. ring. Qed.

Lemma Sum_next m n f : m = S n -> Sum m f = Sum n f + f n.
Proof. intros ->. reflexivity. Qed.

Lemma SumOver_same (F : Finite) (f g : F -> R) : (forall y, f y = g y) -> SumOver F f = SumOver F g.
Proof. intros H. unfold SumOver. induction (every F); simpl; [reflexivity | rewrite IHl, H; reflexivity]. Qed.

Lemma SumOver_at_most (F : Finite) (f g : F -> R) : (forall y, f y <= g y) -> SumOver F f <= SumOver F g.
Proof.
  intros H. unfold SumOver. induction (every F); simpl; [apply Rle_refl |].
  apply Rplus_le_compat; [apply H | exact IHl].
Qed.

Lemma Sum_not_negative n f : (forall i, 0 <= f i) -> 0 <= Sum n f.
Proof. intros H. rewrite <- (Sum_zero n). apply Sum_at_most. auto. Qed.

Lemma SumOver_plus (F : Finite) (f g : F -> R) a b :
  SumOver F f = a -> SumOver F g = b -> SumOver F (fun y => f y + g y) = a + b.
Proof. intros <- <-. unfold SumOver. induction (every F); simpl; [ring | rewrite IHl; ring]. Qed.

Lemma SumOver_times (F : Finite) k (f : F -> R) : SumOver F (fun y => k * f y) = k * SumOver F f.
Proof. unfold SumOver. induction (every F); simpl; [ring | rewrite IHl; ring]. Qed.

Lemma SumOver_zero (F : Finite) : SumOver F (fun _ => 0) = 0.
Proof. unfold SumOver. induction (every F); simpl; [reflexivity | rewrite IHl; ring]. Qed.

Lemma SumOver_not_negative (F : Finite) (f : F -> R) : (forall y, 0 <= f y) -> 0 <= SumOver F f.
Proof. intros H. rewrite <- (SumOver_zero F). apply SumOver_at_most. exact H. Qed.

Lemma pick_absent (F : Finite) (f : F -> R) z l :
  ~ In z l -> fold_right (fun y s => INR (Ind (y = z)) * f y + s) 0 l = 0.
Proof.
  induction l as [| y l IH]; intros H; simpl; [reflexivity |].
  rewrite IH, ind_false; [ring | |]; intros E; apply H; [left; exact E | right; exact E].
Qed.

Lemma pick_list (F : Finite) (f : F -> R) z l :
  NoDup l -> In z l -> fold_right (fun y s => INR (Ind (y = z)) * f y + s) 0 l = f z.
Proof.
  induction l as [| y l IH]; intros U H; [destruct H |]. inversion U; subst. simpl.
  destruct (classic (y = z)) as [E | E].
  - subst. rewrite pick_absent, ind_true by auto. ring.
  - assert (In z l) by (destruct H; [contradiction | assumption]). rewrite IH, ind_false by assumption. ring.
Qed.

Lemma picked (F : Finite) (z : F) k (f : F -> R) : SumOver F (fun y => k * (INR (Ind (y = z)) * f y)) = k * f z.
Proof. rewrite SumOver_times. f_equal. apply pick_list; [apply once | apply complete]. Qed.

Lemma picked_turned (F : Finite) (z : F) k (f : F -> R) :
  SumOver F (fun y => k * (INR (Ind (z = y)) * f y)) = k * f z.
Proof.
  rewrite <- (picked F z k f). apply SumOver_same. intros y. rewrite (ind_same (z = y) (y = z)); [reflexivity |].
  split; auto.
Qed.

Lemma MaxOver_at (F : Finite) (f : F -> R) z : f z <= MaxOver F f.
Proof.
  unfold MaxOver. assert (H := complete F z). induction (every F) as [| y l IH]; [destruct H |]. simpl.
  destruct H as [-> | H]; [apply Rmax_l | eapply Rle_trans; [apply IH; exact H | apply Rmax_r]].
Qed.

Lemma MaxOver_least (F : Finite) (f : F -> R) v : (forall y, f y <= v) -> MaxOver F f <= v.
Proof. intros H. unfold MaxOver. induction (every F); simpl; [apply H | apply Rmax_lub; auto]. Qed.

Lemma MaxOver_at_most (F : Finite) (f g : F -> R) : (forall y, f y <= g y) -> MaxOver F f <= MaxOver F g.
Proof. intros H. apply MaxOver_least. intros y. eapply Rle_trans; [apply H | apply MaxOver_at]. Qed.

Lemma MaxOver_same (F : Finite) (f g : F -> R) : (forall y, f y = g y) -> MaxOver F f = MaxOver F g.
Proof. intros H. apply Rle_antisym; apply MaxOver_at_most; intros y; rewrite H; apply Rle_refl. Qed.

Lemma MaxOver_constant (F : Finite) k : MaxOver F (fun _ => k) = k.
Proof.
  apply Rle_antisym; [apply MaxOver_least; intros; apply Rle_refl | apply (MaxOver_at F (fun _ => k) (someone F))].
Qed.

Lemma Sum_Sum n m (f : nat -> nat -> R) :
  Sum n (fun i => Sum m (fun j => f i j)) = Sum m (fun j => Sum n (fun i => f i j)).
Proof.
  induction n; simpl.
  - rewrite Sum_constant. ring.
  - rewrite IHn. symmetry. apply Sum_plus; reflexivity.
Qed.

Lemma Sum_SumOver n (F : Finite) (f : nat -> F -> R) :
  Sum n (fun i => SumOver F (fun y => f i y)) = SumOver F (fun y => Sum n (fun i => f i y)).
Proof.
  induction n; simpl.
  - symmetry. apply SumOver_zero.
  - rewrite IHn. symmetry. apply SumOver_plus; reflexivity.
Qed.

Lemma SumOver_SumOver (F G : Finite) (f : F -> G -> R) :
  SumOver F (fun x => SumOver G (fun y => f x y)) = SumOver G (fun y => SumOver F (fun x => f x y)).
Proof.
  unfold SumOver at 1 4. induction (every F) as [| x l IH]; simpl.
  - symmetry. apply SumOver_zero.
  - rewrite IH. symmetry. apply SumOver_plus; reflexivity.
Qed.

(* ---------------------------------------------------------------- natural numbers as real ones *)

Lemma cast_plus a b x y : INR a = x -> INR b = y -> INR (a + b) = x + y.
Proof. intros <- <-. apply plus_INR. Qed.

Lemma cast_times a b x y : INR a = x -> INR b = y -> INR (a * b) = x * y.
Proof. intros <- <-. apply mult_INR. Qed.

Lemma cast_power a n x : INR a = x -> INR (a ^ n) = x ^ n.
Proof. intros <-. apply pow_INR. Qed.

Lemma cast_max a b x y : INR a = x -> INR b = y -> INR (Nat.max a b) = Rmax x y.
Proof.
  intros <- <-. destruct (Nat.max_spec a b) as [[H ->] | [H ->]].
  - rewrite Rmax_right; [reflexivity | apply le_INR; lia].
  - rewrite Rmax_left; [reflexivity | apply le_INR; lia].
Qed.

Lemma cast_min a b x y : INR a = x -> INR b = y -> INR (Nat.min a b) = Rmin x y.
Proof.
  intros <- <-. destruct (Nat.min_spec a b) as [[H ->] | [H ->]].
  - rewrite Rmin_left; [reflexivity | apply le_INR; lia].
  - rewrite Rmin_right; [reflexivity | apply le_INR; lia].
Qed.

Lemma cast_Sum n f g : (forall i, INR (f i) = g i) -> INR (SumN n f) = Sum n g.
Proof. intros H. induction n; [reflexivity |]. simpl. apply cast_plus; auto. Qed.

Lemma cast_SumOver (F : Finite) (f : F -> nat) g : (forall y, INR (f y) = g y) -> INR (SumOverN F f) = SumOver F g.
Proof.
  intros H. unfold SumOverN, SumOver. induction (every F); [reflexivity |]. simpl. apply cast_plus; auto.
Qed.

(* ---------------------------------------------------------------- reciprocals, exponentials, numbers *)

Lemma inv_product a b c d : inv a = c -> inv b = d -> inv (a * b) = c * d.
Proof. intros <- <-. apply Rinv_mult. Qed.

Lemma inv_power a b n : inv a = b -> inv (a ^ n) = b ^ n.
Proof. intros <-. unfold inv. symmetry. apply pow_inv. Qed.

Lemma inv_twice a : inv (inv a) = a.
Proof. apply Rinv_inv. Qed.

Lemma inv_exp a b : - a = b -> inv (exp a) = exp b.
Proof. intros <-. symmetry. apply exp_Ropp. Qed.

Lemma inv_number a b : a * b = 1 -> inv a = b.
Proof. intros H. unfold inv. assert (a <> 0) by (intros E; rewrite E in H; lra). apply Rmult_eq_reg_l with a; [rewrite H; field |]; assumption. Qed.

Lemma inv_zero a : a = 0 -> inv a = 0.
Proof. intros ->. apply Rinv_0. Qed.

Lemma sqrt_number a b : 0 <= b -> b * b = a -> sqrt a = b.
Proof. intros H <-. apply sqrt_square. exact H. Qed.

Lemma exp_zero a : a = 0 -> exp a = 1.
Proof. intros ->. apply exp_0. Qed.

Lemma exp_both a b : a + b = 0 -> exp a * exp b = 1.
Proof. intros H. rewrite <- exp_plus, H. apply exp_0. Qed.

Lemma exp_power a n : exp a ^ n = exp (INR n * a).
Proof.
  induction n; [simpl; rewrite Rmult_0_l, exp_0; reflexivity |].
  rewrite S_INR. simpl pow. rewrite IHn, <- exp_plus. f_equal. ring.
Qed.

(* ---------------------------------------------------------------- the rules *)

Lemma le_same a b c d : a = c -> b = d -> (a <= b <-> c <= d).
Proof. intros -> ->. tauto. Qed.

Lemma lt_same a b c d : a = c -> b = d -> (a < b <-> c < d).
Proof. intros -> ->. tauto. Qed.

Lemma eq_same (T : Type) (a b c d : T) : a = c -> b = d -> (a = b <-> c = d).
Proof. intros -> ->. tauto. Qed.

Lemma eq_turned (T : Type) (a b c d : T) : a = d -> b = c -> (a = b <-> c = d).
Proof. intros -> ->. split; auto. Qed.

Lemma all_same (T : Type) (A B : T -> Prop) : (forall x, A x <-> B x) -> ((forall x, A x) <-> (forall x, B x)).
Proof. intros H. split; intros K x; apply H; apply K. Qed.

Lemma imp_same (A B C D : Prop) : (A <-> C) -> (B <-> D) -> ((A -> B) <-> (C -> D)).
Proof. tauto. Qed.

Lemma not_same (A B : Prop) : (A <-> B) -> (~ A <-> ~ B).
Proof. tauto. Qed.

Lemma either_way (A : Prop) : A \/ ~ A.
Proof. apply classic. Qed.

Lemma not_denied (A : Prop) : ~ ~ A -> A.
Proof. apply NNPP. Qed.

Lemma not_at_most (A : Prop) u v : (A <-> u <= v) -> (~ A <-> v < u).
Proof. intros ->. split; [apply Rnot_le_lt | apply Rlt_not_le]. Qed.

Lemma not_less (A : Prop) u v : (A <-> u < v) -> (~ A <-> v <= u).
Proof. intros ->. split; [apply Rnot_lt_le | apply Rle_not_lt]. Qed.

Lemma not_not (A B : Prop) : (A <-> ~ B) -> (~ A <-> B).
Proof. intros ->. split; [apply NNPP | tauto]. Qed.

Lemma multiple_le m l r : 0 <= m -> l <= r -> 0 <= m * (r + (-1) * l).
Proof. intros. apply Rmult_le_pos; lra. Qed.

Lemma multiple_lt m l r : 0 <= m -> l < r -> 0 <= m * (r + (-1) * l).
Proof. intros. apply Rmult_le_pos; lra. Qed.

Lemma multiple_strict m l r : 0 < m -> l < r -> 0 < m * (r + (-1) * l).
Proof. intros. apply Rmult_lt_0_compat; lra. Qed.

Lemma multiple_eq m l r : l = r -> 0 = m * (r + (-1) * l).
Proof. intros ->. ring. Qed.

Lemma plus_eq_eq a b : 0 = a -> 0 = b -> 0 = a + b.  Proof. lra. Qed.
Lemma plus_eq_lt a b : 0 = a -> 0 < b -> 0 < a + b.  Proof. lra. Qed.
Lemma plus_eq_le a b : 0 = a -> 0 <= b -> 0 <= a + b.  Proof. lra. Qed.
Lemma plus_lt_eq a b : 0 < a -> 0 = b -> 0 < a + b.  Proof. lra. Qed.
Lemma plus_lt_lt a b : 0 < a -> 0 < b -> 0 < a + b.  Proof. lra. Qed.
Lemma plus_lt_le a b : 0 < a -> 0 <= b -> 0 < a + b.  Proof. lra. Qed.
Lemma plus_le_eq a b : 0 <= a -> 0 = b -> 0 <= a + b.  Proof. lra. Qed.
Lemma plus_le_lt a b : 0 <= a -> 0 < b -> 0 < a + b.  Proof. lra. Qed.
Lemma plus_le_le a b : 0 <= a -> 0 <= b -> 0 <= a + b.  Proof. lra. Qed.
Lemma sign_eq a : 0 = a -> 0 <= a.  Proof. lra. Qed.
Lemma sign_lt a : 0 < a -> 0 <= a.  Proof. lra. Qed.

Lemma combined_le a b s : b + (-1) * a = s -> 0 <= s -> a <= b.  Proof. lra. Qed.
Lemma combined_lt a b s : b + (-1) * a = s -> 0 < s -> a < b.  Proof. lra. Qed.
Lemma combined_eq a b s : b + (-1) * a = s -> 0 = s -> a = b.  Proof. lra. Qed.

Lemma archimedes u v : (forall n, INR n * u <= v) -> u <= 0.
Proof.
  intros H. apply Rnot_lt_le. intros P.
  destruct (archimed (v / u)) as [N _]. set (n := Z.to_nat (up (v / u))).
  assert (v / u < INR n).
  { rewrite INR_IZR_INZ. apply Rlt_le_trans with (IZR (up (v / u))); [lra |]. apply IZR_le. unfold n. lia. }
  specialize (H n).
  assert (v / u * u < INR n * u) by (apply Rmult_lt_compat_r; assumption).
  replace (v / u * u) with v in * by (field; lra). lra.
Qed.

Lemma discrete n m : INR n <= INR m \/ INR m + 1 <= INR n.
Proof.
  destruct (le_lt_dec n m); [left; apply le_INR; assumption | right].
  rewrite <- S_INR. apply le_INR. assumption.
Qed.

(* The facts that the rule [known] may use. *)
Lemma known_square x : 0 <= x ^ 2.  Proof. apply pow2_ge_0. Qed.
Lemma known_exp x : 0 < exp x.  Proof. apply exp_pos. Qed.
Lemma known_abs x : x <= Rabs x.  Proof. apply Rle_abs. Qed.
Lemma known_abs_ x : (-1) * x <= Rabs x.
Proof. rewrite <- Rabs_Ropp. replace ((-1) * x) with (- x) by ring. apply Rle_abs. Qed.
Lemma known_abs_cases x : (Rabs x = x) \/ (Rabs x = (-1) * x).
Proof. unfold Rabs. destruct (Rcase_abs x); [right; ring | left; reflexivity]. Qed.
Lemma known_max x y : x <= Rmax x y.  Proof. apply Rmax_l. Qed.
Lemma known_max_right x y : y <= Rmax x y.  Proof. apply Rmax_r. Qed.
Lemma known_max_cases x y : (Rmax x y = x) \/ (Rmax x y = y).
Proof. unfold Rmax. destruct (Rle_dec x y); auto. Qed.
Lemma known_min x y : Rmin x y <= x.  Proof. apply Rmin_l. Qed.
Lemma known_min_right x y : Rmin x y <= y.  Proof. apply Rmin_r. Qed.
Lemma known_min_cases x y : (Rmin x y = x) \/ (Rmin x y = y).
Proof. unfold Rmin. destruct (Rle_dec x y); auto. Qed.
Lemma known_inverse x : (0 < x) -> (x * (1 * inv x) = 1).  Proof. intros. unfold inv. field. lra. Qed.
Lemma known_inverse_positive x : (0 < x) -> (0 < 1 * inv x).
Proof. intros. rewrite Rmult_1_l. apply Rinv_0_lt_compat. assumption. Qed.
Lemma known_sqrt x : 0 <= sqrt x.  Proof. apply sqrt_pos. Qed.
Lemma known_sqrt_square x : (0 <= x) -> (sqrt x ^ 2 = x).  Proof. apply pow2_sqrt. Qed.
Lemma known_total x y : (x <= y) \/ (y <= x).  Proof. lra. Qed.
Lemma known_discrete n m : (INR n <= INR m) \/ (INR m + 1 <= INR n).  Proof. apply discrete. Qed.
Lemma known_log x : (0 < x) -> (exp (ln x) = x).  Proof. apply exp_ln. Qed.
Lemma known_antisymmetric x y : ((x <= y) /\ (y <= x)) -> (x = y).  Proof. lra. Qed.

(* ---------------------------------------------------------------- tactics *)

(* A bound variable gets its name, whoever had it before. *)
Tactic Notation "bind" ident(x) := try (let o := fresh "o" in rename x into o); intros x.

Ltac cast_number := rewrite INR_IZR_INZ; reflexivity.

(* The parts of a conjunction; and a conjunction of what is there, in whatever order. *)
Ltac take H := match type of H with
  | _ /\ _ => let A := fresh "Q" in let B := fresh "Q" in destruct H as [A B]; take A; take B
  | _ => idtac
  end.
Ltac joined := repeat match goal with |- _ /\ _ => split end; assumption.

Ltac clash A B := exfalso;
  first [exact (A B) | exact (B A) | exact (Rlt_not_le _ _ A B) | exact (Rlt_not_le _ _ B A)].

(* Between numerals; what else is there is no help, and may be beyond what [lra] can read. *)
Ltac numeric := clear; lra.

Ltac numeric_extremum := clear; unfold Rmax, Rmin; repeat destruct (Rle_dec _ _); lra.

(* A sum of products of natural numbers; an indicator is at most 1. *)
Ltac not_negative := clear;
  repeat match goal with |- context [INR ?n] =>
    match goal with H : 0 <= INR n |- _ => fail 1 | _ => pose proof (pos_INR n) end end;
  repeat match goal with |- context [INR (Ind ?A)] =>
    match goal with H : INR (Ind A) <= 1 |- _ => fail 1
    | _ => assert (INR (Ind A) <= 1) by (destruct (ind_values A) as [-> | ->]; lra) end end;
  first [lra | repeat first [apply Rplus_le_le_0_compat | apply Rmult_le_pos | apply pow_le | assumption]; lra | nra].

(* What is made of natural numbers is not negative. *)
Ltac natural := repeat first [apply pos_INR | apply Rplus_le_le_0_compat | apply Rmult_le_pos | apply pow_le
  | apply Sum_not_negative; intros | apply SumOver_not_negative; intros
  | eapply Rle_trans; [| apply MaxOver_at]; try exact (someone _)
  | apply Rle_trans with (2 := Rmax_l _ _) | apply Rmin_glb | lra].

Ltac exponentials := rewrite ?exp_power, <- ?exp_plus; f_equal; simpl INR; field.

(* A theorem about inequalities, for natural numbers and under the conditions that are there. *)
Ltac relation T := rewrite <- ?INR_IZR_INZ in T;
  repeat match type of T with ?A -> _ =>
    let H := fresh in assert (H : A) by first [assumption | lra]; specialize (T H); clear H end;
  first [exact T | lra | unfold Rpower in T; lra].

(* An identity between numbers, where what is under a logarithm, a root or a bar is positive. *)
Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x * / y) = ln x - ln y.
Proof. intros. rewrite ln_mult, ln_Rinv; [ring | | | apply Rinv_0_lt_compat]; assumption. Qed.

Ltac logarithms := unfold Rdiv;
  repeat match goal with |- context [ln (1 + ?a * / ?b)] =>
    replace (1 + a * / b) with ((b + a) * / b) by (field; lra) end;
  repeat rewrite ln_quotient by lra; repeat rewrite ln_mult by lra;
  repeat match goal with |- context [ln ?u] => match goal with |- context [ln ?v] =>
    first [constr_eq u v; fail 1 | replace u with v by ring] end end;
  lra.

Ltac identity := first
  [ field; repeat split; lra
  | apply sqrt_mult; lra
  | unfold Rdiv; rewrite <- sqrt_inv; apply sqrt_mult; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]
  | logarithms ].
